// SPDX-License-Identifier: Apache-2.0
// The executable specification of every device: plain loops, exact integers, one thread. Slow on purpose.
#pragma once

#include "backend/backend.hpp"

namespace toroid::backend_reference {

/// Always present.
[[nodiscard]] backend::BackendEntry entry();

}  // namespace toroid::backend_reference
