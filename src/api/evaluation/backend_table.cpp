// SPDX-License-Identifier: Apache-2.0
#include "api/evaluation/backend_table.hpp"

#include "backend_cpu/cpu_backend.hpp"
#include "backend_reference/reference_backend.hpp"

namespace toroid::api {

const backend::Registry& backend_table() {
    static const backend::Registry table({
        backend_cpu::entry(),
        backend_reference::entry(),
    });
    return table;
}

}  // namespace toroid::api
