// SPDX-License-Identifier: Apache-2.0
// A server's side: it links toroid::evaluation alone and refuses what is no evaluation key.
#include <cstdio>
#include <toroid/evaluator.hpp>

int main() {
    try {
        const toroid::Evaluator evaluator(toroid::EvaluationKey::load("missing.key"));
        return 1;
    } catch (const toroid::Error& error) {
        std::printf("refused: %s\n", error.what());
        return error.kind() == toroid::ErrorKind::io && !toroid::devices().empty() ? 0 : 1;
    }
}
