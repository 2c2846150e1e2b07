// SPDX-License-Identifier: Apache-2.0
#include "api/evaluation/backend_table.hpp"

#include "backend_cpu/cpu_backend.hpp"
#include "backend_reference/reference_backend.hpp"
#ifdef TOROID_HAS_CUDA
#include "backend_gpu/gpu_backend.hpp"
#endif

namespace toroid::api {
namespace {

#ifndef TOROID_HAS_CUDA
backend::BackendEntry absent_cuda() {
    return {
        .name = "cuda",
        .absence_reason = [] { return std::string("this build has no GPU code (preset cuda builds it)"); },
        .make = nullptr};
}
#endif

}  // namespace

const backend::Registry& backend_table() {
    static const backend::Registry table({
#ifdef TOROID_HAS_CUDA
        backend_gpu::entry(),
#else
        absent_cuda(),
#endif
        backend_cpu::entry(),
        backend_reference::entry(),
        {.name = "hip",
         .absence_reason =
             [] { return std::string("the code for AMD cards is compiled, but in no program yet"); },
         .make = nullptr},
    });
    return table;
}

}  // namespace toroid::api
