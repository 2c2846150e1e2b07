// SPDX-License-Identifier: Apache-2.0
#include "backend_gpu/rotation/transform_choice.hpp"

#include <gtest/gtest.h>

namespace toroid::tests {
namespace {

using backend::Transform;
using backend_gpu::choose_transform;
using backend_gpu::Vendor;

TEST(TransformChoice, FollowsTheCardsFp64) {
    const auto reason = [](Vendor vendor, int major, int minor) {
        const auto choice = choose_transform(Transform::automatic, vendor, major, minor);
        EXPECT_EQ(choice.transform == Transform::ntt, choice.reason.starts_with("ntt"));
        return choice.reason;
    };
    EXPECT_EQ(reason(Vendor::nvidia, 9, 0), "fft: FP64 at 1:2 of FP32");
    EXPECT_EQ(reason(Vendor::nvidia, 8, 0), "fft: FP64 at 1:2 of FP32");
    for (const auto& [major, minor] : {std::pair(8, 6), std::pair(8, 9), std::pair(12, 0)}) {
        EXPECT_EQ(reason(Vendor::nvidia, major, minor), "ntt: FP64 at 1:64 of FP32");
    }
    EXPECT_EQ(reason(Vendor::nvidia, 7, 5), "ntt: FP64 at 1:32 of FP32");
    EXPECT_EQ(reason(Vendor::amd, 9, 0), "fft: FP64 at 1:1 of FP32");
    EXPECT_EQ(reason(Vendor::amd, 10, 3), "ntt: FP64 at 1:16 of FP32");
}

TEST(TransformChoice, TakesTheOneAskedFor) {
    for (const Transform asked : {Transform::fft, Transform::ntt}) {
        for (const int minor : {0, 9}) {
            const auto choice = choose_transform(asked, Vendor::nvidia, 8, minor);
            EXPECT_EQ(choice.transform, asked);
            EXPECT_EQ(choice.reason, std::string(backend::transform_name(asked)) + ": asked for");
        }
    }
}

}  // namespace
}  // namespace toroid::tests
