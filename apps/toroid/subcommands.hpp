// SPDX-License-Identifier: Apache-2.0
// One function a subcommand: adds it with its options, and its work as callback.
#pragma once

#include <CLI/CLI.hpp>

namespace toroid::cli {

void add_keygen(CLI::App& app);
void add_encrypt(CLI::App& app);
void add_run(CLI::App& app);
void add_decrypt(CLI::App& app);
void add_simulate(CLI::App& app);
void add_inspect(CLI::App& app);
void add_compile(CLI::App& app);
void add_params(CLI::App& app);
void add_devices(CLI::App& app);
void add_bench(CLI::App& app);
/// Last, since it describes all others.
void add_completion(CLI::App& app);

}  // namespace toroid::cli
