// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/transform_choice.hpp"

#include <array>

namespace toroid::backend_gpu {
namespace {

constexpr int least_ratio_for_ntt = 16;

struct Row {
    Vendor vendor;
    int major;
    int minor;
    int ratio;
};

constexpr std::array table{
    Row{Vendor::nvidia, 6, 0, 2},   // P100
    Row{Vendor::nvidia, 7, 0, 2},   // V100
    Row{Vendor::nvidia, 7, 2, 2},   // Xavier
    Row{Vendor::nvidia, 8, 0, 2},   // A100
    Row{Vendor::nvidia, 9, 0, 2},   // H100, H200
    Row{Vendor::nvidia, 10, 0, 2},  // B200
    Row{Vendor::nvidia, 7, 5, 32},  // T4
    Row{Vendor::nvidia, 6, 1, 32},  // P40
    Row{Vendor::nvidia, 6, 2, 32},  // TX2
    Row{Vendor::amd, 9, 0, 1},      // gfx90a: MI210, MI250
    Row{Vendor::amd, 9, 4, 1},      // gfx942: MI300
    Row{Vendor::amd, 10, 3, 16},    // gfx1030: RX 6800
};

/// 8.6, 8.9, 12.0 and whatever is not listed.
constexpr int little = 64;

}  // namespace

int fp32_over_fp64(Vendor vendor, int major, int minor) {
    for (const Row& row : table) {
        if (row.vendor == vendor && row.major == major && row.minor == minor) return row.ratio;
    }
    return little;
}

TransformChoice choose_transform(backend::Transform asked, Vendor vendor, int major, int minor) {
    if (asked != backend::Transform::automatic) {
        return {asked, std::string(backend::transform_name(asked)) + ": asked for"};
    }
    const int ratio = fp32_over_fp64(vendor, major, minor);
    const backend::Transform transform =
        ratio >= least_ratio_for_ntt ? backend::Transform::ntt : backend::Transform::fft;
    return {transform, std::string(backend::transform_name(transform)) +
                           ": FP64 at 1:" + std::to_string(ratio) + " of FP32"};
}

}  // namespace toroid::backend_gpu
