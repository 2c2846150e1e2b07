// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "scheme/parameters.hpp"

namespace toroid::scheme {

/// A statement about one attack model that rests on a fit of the smallest noise with 128 bits, not on a run
/// of an estimator for this set: it says on which side of 128 bits the set is, and no number of bits.
struct SecurityMargin {
    std::string model;
    /// log2 of the set's std over the smallest std with 128 bits at this dimension; >= 0 on the safe side.
    double std_margin_log2 = 0;
    /// The part of the margin that the fit's own accuracy asks for.
    double required_log2 = 0;
    std::string source;
    [[nodiscard]] bool meets_128() const { return std_margin_log2 >= required_log2; }
};

/// What is known about the security of a parameter set. Named sets carry figures computed for them; any other
/// set is judged by fits, only inside the range where these were made (docs/parameters.md, "Security of your
/// own set").
struct SecurityReport {
    std::vector<SecurityEstimate> figures;
    std::vector<SecurityMargin> margins;
    /// Every figure is >= 128 and every margin is met, and nothing needed is missing.
    bool meets_128 = false;
    /// Why not meets_128, all reasons; empty if it is met.
    std::string reason;
};

/// For the literal of a sound set (parameter_refusals is empty).
[[nodiscard]] SecurityReport estimate_security(const ParametersLiteral& literal);
[[nodiscard]] SecurityReport estimate_security(const Parameters& parameters);

/// How the figure of this model was computed.
[[nodiscard]] std::string security_source(std::string_view model);

}  // namespace toroid::scheme
