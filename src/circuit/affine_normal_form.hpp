// SPDX-License-Identifier: Apache-2.0
// The algebra of phases in eighths, modulo 8. A wire's value x is +1 or -1, so 4x = 4, -2x = 2x + 4 and
// 3x = -x + 4: every weight becomes -1, 1 or 2. Let A be the operands of weight +-1 and L those of weight 2.
// If all operands are free, the reachable phases follow from |A|, |L| and the offset k alone:
//   A empty:     2|L| + k and 2|L| + k + 4, by the parity of L; bad if that is 0 modulo 4.
//   A not empty: flipping one input of A moves the phase by 2, so |A| + k must be odd, and then it never is 0
//   or 4. With |A| = 1, k + 2|L| = 0 modulo 4 is x xor parity(L), where x may as well have weight 2 (margin
//   1/4); otherwise x does not matter. With |A| >= 2 every operand matters.
// Negating all weights and the offset, and adding 4 to the offset, both negate the output.
#pragma once

#include <cstdint>
#include <vector>

#include "base/gate_record.hpp"

namespace toroid::circuit {

/// sum_i weight_i x_i + offset, in eighths of the torus, modulo 8.
struct AffineTerm {
    std::vector<base::Operand> operands;
    int offset = 0;
};

/// `value` modulo 8, in (-4, 4].
[[nodiscard]] constexpr int reduce_eighths(std::int64_t value) {
    const int remainder = static_cast<int>(((value % 8) + 8) % 8);
    return remainder > 4 ? remainder - 8 : remainder;
}
/// The bit that sign_bootstrap makes of a phase that is not 0 or 4.
[[nodiscard]] constexpr bool sign_bit(int phase_eighths) {
    return reduce_eighths(phase_eighths) > 0;
}

/// Sorts operands by signal, merges equal ones, moves constants to the offset (signal 0 counts -1) and
/// reduces weights to -1, 1, 2 and the offset to (-4, 4]. The phase is the same for every input.
void normalise(AffineTerm& term);

/// What the sign of a term turned out to be.
enum class SignKind : std::uint8_t {
    constant,  ///< the bit `negated`
    literal,   ///< the one operand left, negated or not
    gate,      ///< the sign of the term, which is now in canonical form, negated or not
    invalid,   ///< some input makes the phase 0 or 1/2
};
struct SignReduction {
    SignKind kind = SignKind::invalid;
    bool negated = false;
};

/// Simplifies sign(term), taking the operands as free, and brings the term to the canonical representative of
/// all terms with the same sign or its negation. The term need not be normalised before.
[[nodiscard]] SignReduction canonicalise_sign(AffineTerm& term);

}  // namespace toroid::circuit
