// SPDX-License-Identifier: Apache-2.0
// Gadget decomposition on the device, as math::decompose specifies it.
#pragma once

#include <cstdint>

#include "math/decomposition.hpp"

namespace toroid::backend_gpu {

/// Digits of t are fields of t + offset, less B/2: offset adds B/2 at every level and half of the last
/// weight.
struct GadgetFields {
    int base_log = 0;
    int levels = 0;
    std::uint32_t offset = 0;
};

[[nodiscard]] inline GadgetFields gadget_fields(math::Gadget gadget) {
    const int bits = gadget.base_log * gadget.levels;
    std::uint32_t offset = bits < 32 ? std::uint32_t{1} << (31 - bits) : 0U;
    for (int level = 1; level <= gadget.levels; ++level) {
        offset += std::uint32_t{1} << (31 - (level - 1) * gadget.base_log);
    }
    return {gadget.base_log, gadget.levels, offset};
}

}  // namespace toroid::backend_gpu
