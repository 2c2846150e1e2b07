// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// Every reason for which a literal is refused, in the order of its fields; empty if it is sound.
[[nodiscard]] std::vector<std::string> parameter_refusals(const ParametersLiteral& literal);

/// 1 to 64 characters of letters, digits, '.', '_' and '-'.
[[nodiscard]] bool is_parameter_name(std::string_view name);

/// Bounds on the sum that one coefficient of an external product (a block key: of a whole block) takes before
/// it is reduced modulo 2^32; FP64 transforms need both (docs/parameters.md, "Exactness").
struct ProductBound {
    double worst_case_log2 = 0;  ///< all digits and key words at their largest
    double rms_log2 = 0;         ///< uniform digits and key words
};
[[nodiscard]] ProductBound product_bound(const ParametersLiteral& literal);

}  // namespace toroid::scheme
