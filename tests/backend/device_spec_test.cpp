// SPDX-License-Identifier: Apache-2.0
#include "backend/device_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

TEST(DeviceSpec, Forms) {
    const DeviceSpec plain = DeviceSpec::parse("cuda");
    EXPECT_EQ(plain.name, "cuda");
    EXPECT_TRUE(plain.indices.empty());
    EXPECT_FALSE(plain.all);
    EXPECT_EQ(DeviceSpec::parse("cuda:3").indices, std::vector{3});
    const DeviceSpec several = DeviceSpec::parse("cuda:0,12,0");
    EXPECT_EQ(several.name, "cuda");
    EXPECT_EQ(several.indices, (std::vector{0, 12, 0}));
    EXPECT_FALSE(several.all);
    EXPECT_TRUE(DeviceSpec::parse("cuda:all").all);
}

TEST(DeviceSpec, WhatIsNoneIsRefusedByName) {
    for (const std::string text : {"", ":", ":0", "cuda:", "cuda:,", "cuda:0,", "cuda:,0", "cuda:0,,1",
                                   "cuda:-1", "cuda:+1", "cuda: 1", "cuda:1 ", "cuda:0x1", "cuda:1.0",
                                   "cuda:all,0", "cuda:0,all", "cuda:0:1", "cuda:99999999999999999999"}) {
        try {
            (void)DeviceSpec::parse(text);
            ADD_FAILURE() << '\'' << text << "' was taken";
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::usage);
            EXPECT_THAT(error.what(), testing::HasSubstr("'" + text + "'"));
        }
    }
}

}  // namespace
}  // namespace toroid::backend
