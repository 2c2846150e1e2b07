// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "toroid/error.hpp"

namespace toroid::tests {

/// Expects `call` to throw toroid::Error of this kind, whose message holds every one of `parts`. Returns the
/// message.
template <typename Call>
std::string expect_error(ErrorKind kind, const std::vector<std::string>& parts, Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        for (const std::string& part : parts) EXPECT_THAT(error.what(), testing::HasSubstr(part));
        return error.what();
    }
    ADD_FAILURE() << "no toroid::Error was thrown";
    return {};
}

}  // namespace toroid::tests
