// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/registry.hpp"

namespace toroid::api {

/// Every backend of this build, in order of preference. The one list that the evaluator, the contract suite,
/// the benchmarks and `toroid devices` read: a new backend is one line here.
[[nodiscard]] const backend::Registry& backend_table();

}  // namespace toroid::api
