// SPDX-License-Identifier: Apache-2.0
#include "toroid/version.hpp"

namespace toroid {

std::string_view version() noexcept {
    return TOROID_VERSION;
}

}  // namespace toroid
