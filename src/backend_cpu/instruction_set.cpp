// SPDX-License-Identifier: Apache-2.0
#include "backend_cpu/instruction_set.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "toroid/error.hpp"

namespace toroid::backend_cpu {

const std::vector<const KernelTable*>& compiled_kernels() {
    static const std::vector<const KernelTable*> all {
#if defined(__x86_64__)
        &avx512_kernels(), &avx2_kernels(),
#endif
            &portable_kernels()
    };
    return all;
}

std::string absence_reason(const KernelTable& kernels) {
#if defined(__x86_64__)
    // __builtin_cpu_supports also asks whether the operating system saves the wide registers.
    const auto reason = [&](bool present) {
        return present ? std::string() : fmt::format("this processor has no {}", kernels.description);
    };
    if (&kernels == &avx2_kernels()) {
        return reason(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
    }
    if (&kernels == &avx512_kernels()) {
        return reason(__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
    }
#endif
    static_cast<void>(kernels);
    return {};
}

const KernelTable& choose_kernels(std::optional<std::string_view> name) {
    std::string known;
    for (const KernelTable* kernels : compiled_kernels()) {
        const std::string absent = absence_reason(*kernels);
        if (!name) {
            if (absent.empty()) return *kernels;
            continue;
        }
        if (*name == kernels->name) {
            if (absent.empty()) return *kernels;
            throw Error(ErrorKind::device,
                        fmt::format("instruction set '{}' cannot be used: {}", *name, absent));
        }
        known += fmt::format("{}{}", known.empty() ? "" : ", ", kernels->name);
    }
    throw Error(ErrorKind::device, fmt::format("unknown instruction set '{}' (TOROID_CPU_ISA); known: {}",
                                               name.value_or(""), known));
}

const KernelTable& choose_kernels_by_environment() {
    const char* const value = std::getenv("TOROID_CPU_ISA");
    if (value == nullptr || *value == '\0') return choose_kernels(std::nullopt);
    return choose_kernels(value);
}

}  // namespace toroid::backend_cpu
