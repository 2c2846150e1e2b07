// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace toroid::backend {

/// One of the devices that a split backend spreads over.
struct BackendPart {
    std::string name;  ///< for reports, e.g. "cuda:1"
    std::unique_ptr<Backend> backend;
};

/// Several devices, or several times one, as one backend: its keys are SplitKeys. At least one part.
/// TOROID_LEAST_SHARE=N, for tests: batches are divided as long as each device gets N bootstraps
/// (assign_batch; unset: a quarter of its full batch); Error(usage) if it is no positive number.
[[nodiscard]] std::unique_ptr<Backend> make_split_backend(std::vector<BackendPart> parts);

}  // namespace toroid::backend
