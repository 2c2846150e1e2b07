// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scheme/parameters.hpp"

namespace toroid::backend_reference {

/// Gadget decomposition of a GLWE sample ((k+1) N words, masks first): rows() polynomials of N digits, in the
/// order of a GGSW's rows.
void decompose_glwe(const scheme::Parameters& parameters, std::span<const std::uint32_t> sample,
                    std::span<std::int32_t> digits);

/// out += digits [.] ggsw = sum_r digits_r * ggsw_r, exactly mod 2^32 (CGGI 2020, definition 3.12). ggsw:
/// rows() GLWE samples, out: one.
void add_external_product(const scheme::Parameters& parameters, std::span<const std::int32_t> digits,
                          std::span<const std::uint32_t> ggsw, std::span<std::uint32_t> out);

}  // namespace toroid::backend_reference
