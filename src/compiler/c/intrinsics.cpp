// SPDX-License-Identifier: Apache-2.0
// What LLVM writes as calls of llvm.*.
#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>

#include "compiler/c/frame.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {

bool Executor::execute_intrinsic(const llvm::IntrinsicInst& instruction, State& state) {
    const llvm::Type* type = instruction.getType();
    if (type->isFPOrFPVectorTy()) fail(instruction, "floating point is not supported");
    const auto operand = [&](unsigned i) { return word_of(instruction.getArgOperand(i)); };
    const auto choose = [&](unsigned predicate) {
        const Word a = operand(0);
        const Word b = operand(1);
        set(instruction, graph_.select(compare_words(predicate, a, b), a, b));
    };
    const std::uint32_t width = type->isIntegerTy() ? type->getIntegerBitWidth() : 0;
    switch (instruction.getIntrinsicID()) {
        case llvm::Intrinsic::smax:
            choose(llvm::CmpInst::ICMP_SGT);
            return true;
        case llvm::Intrinsic::smin:
            choose(llvm::CmpInst::ICMP_SLT);
            return true;
        case llvm::Intrinsic::umax:
            choose(llvm::CmpInst::ICMP_UGT);
            return true;
        case llvm::Intrinsic::umin:
            choose(llvm::CmpInst::ICMP_ULT);
            return true;
        case llvm::Intrinsic::abs:
            set(instruction, graph_.select(graph_.extract(operand(0), width - 1, 1),
                                           graph_.negate(operand(0)), operand(0)));
            return true;
        case llvm::Intrinsic::scmp:
        case llvm::Intrinsic::ucmp: {
            const bool is_signed = instruction.getIntrinsicID() == llvm::Intrinsic::scmp;
            const auto less = is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
            const Word below = compare_words(less, operand(0), operand(1));
            const Word above = compare_words(less, operand(1), operand(0));
            set(instruction, graph_.select(below, graph_.ones(width), graph_.zero_extend(above, width)));
            return true;
        }
        case llvm::Intrinsic::ctpop:
            set(instruction, graph_.popcount(operand(0), width));
            return true;
        case llvm::Intrinsic::ctlz:
            set(instruction, graph_.count_leading_zeros(operand(0)));
            return true;
        case llvm::Intrinsic::cttz:
            set(instruction, graph_.count_trailing_zeros(operand(0)));
            return true;
        case llvm::Intrinsic::bswap:
        case llvm::Intrinsic::bitreverse: {
            const std::uint32_t each = instruction.getIntrinsicID() == llvm::Intrinsic::bswap ? 8 : 1;
            std::vector<Word> parts;
            for (std::uint32_t at = width; at > 0; at -= each)
                parts.push_back(graph_.extract(operand(0), at - each, each));
            set(instruction, parts.size() == 1 ? parts[0] : graph_.concatenate(parts));
            return true;
        }
        case llvm::Intrinsic::fshl:
        case llvm::Intrinsic::fshr: {
            const bool left = instruction.getIntrinsicID() == llvm::Intrinsic::fshl;
            const Word high = operand(0);
            const Word low = operand(1);
            if (high == low) {
                set(instruction,
                    left ? graph_.rotate_left(high, operand(2)) : graph_.rotate_right(high, operand(2)));
                return true;
            }
            const Word amount = graph_.unsigned_remainder(operand(2), graph_.constant(width, width));
            const Word parts[2] = {low, high};
            const Word both = graph_.concatenate(parts);
            set(instruction, left ? graph_.extract(graph_.shift_left(both, amount), width, width)
                                  : graph_.extract(graph_.shift_right_logical(both, amount), 0, width));
            return true;
        }
        case llvm::Intrinsic::sadd_sat:
        case llvm::Intrinsic::uadd_sat:
        case llvm::Intrinsic::ssub_sat:
        case llvm::Intrinsic::usub_sat:
        case llvm::Intrinsic::sshl_sat:
        case llvm::Intrinsic::ushl_sat:
            set(instruction, saturating(instruction));
            return true;
        case llvm::Intrinsic::sadd_with_overflow:
        case llvm::Intrinsic::uadd_with_overflow:
        case llvm::Intrinsic::ssub_with_overflow:
        case llvm::Intrinsic::usub_with_overflow:
        case llvm::Intrinsic::smul_with_overflow:
        case llvm::Intrinsic::umul_with_overflow:
            set(instruction, with_overflow(instruction));
            return true;
        case llvm::Intrinsic::memcpy:
        case llvm::Intrinsic::memcpy_inline:
        case llvm::Intrinsic::memmove:
            if (llvm::cast<llvm::MemIntrinsic>(instruction).isVolatile())
                fail(instruction, "a volatile variable is copied");
            copy(instruction, state);
            return true;
        case llvm::Intrinsic::memset:
        case llvm::Intrinsic::memset_inline:
            if (llvm::cast<llvm::MemIntrinsic>(instruction).isVolatile())
                fail(instruction, "a volatile variable is written");
            fill(instruction, state);
            return true;
        case llvm::Intrinsic::lifetime_start:
        case llvm::Intrinsic::lifetime_end:
        case llvm::Intrinsic::invariant_start:
        case llvm::Intrinsic::invariant_end:
        case llvm::Intrinsic::assume:
        case llvm::Intrinsic::experimental_noalias_scope_decl:
        case llvm::Intrinsic::dbg_declare:
        case llvm::Intrinsic::dbg_value:
        case llvm::Intrinsic::dbg_label:
        case llvm::Intrinsic::var_annotation:
        case llvm::Intrinsic::donothing:
        case llvm::Intrinsic::prefetch:
            if (type->isPointerTy()) set(instruction, value_of(instruction.getArgOperand(1)));
            return true;
        case llvm::Intrinsic::expect:
        case llvm::Intrinsic::expect_with_probability:
        case llvm::Intrinsic::annotation:
        case llvm::Intrinsic::ptr_annotation:
        case llvm::Intrinsic::launder_invariant_group:
        case llvm::Intrinsic::strip_invariant_group:
        case llvm::Intrinsic::threadlocal_address:
            set(instruction, value_of(instruction.getArgOperand(0)));
            return true;
        case llvm::Intrinsic::is_constant: {
            const Value value = value_of(instruction.getArgOperand(0));
            set(instruction,
                graph_.constant(value.kind == Value::Kind::word && graph_.is_constant(value.word) ? 1 : 0,
                                1));
            return true;
        }
        case llvm::Intrinsic::objectsize:
            // Unknown: all ones for the largest, 0 for the smallest.
            set(instruction, llvm::cast<llvm::ConstantInt>(instruction.getArgOperand(1))->isZero()
                                 ? graph_.ones(width)
                                 : graph_.constant(0, width));
            return true;
        case llvm::Intrinsic::trap:
        case llvm::Intrinsic::ubsantrap:
            warn(instruction, "the program may end here; the circuit's outputs then mean nothing");
            return false;
        case llvm::Intrinsic::stacksave:
        case llvm::Intrinsic::stackrestore:
            fail(instruction, "an array of variable length is not supported");
        case llvm::Intrinsic::vastart:
            fail(instruction, "a function with any number of arguments is not supported");
        default: {
            const std::string name = instruction.getCalledFunction()->getName().str();
            for (const llvm::Value* argument : instruction.args()) {
                if (argument->getType()->isFPOrFPVectorTy())
                    fail(instruction, "floating point is not supported");
                if (argument->getType()->isVectorTy()) fail(instruction, "vector types are not supported");
            }
            fail(instruction, fmt::format("the built-in operation '{}' is not supported", name));
        }
    }
}

Word Executor::saturating(const llvm::IntrinsicInst& instruction) {
    const Word a = word_of(instruction.getArgOperand(0));
    const Word b = word_of(instruction.getArgOperand(1));
    const std::uint32_t width = graph_.width(a);
    const auto limit = [&](Word is_negative) {  // the most negative number, or the largest
        const Word parts[2] = {
            width > 1 ? graph_.sign_extend(graph_.bit_not(is_negative), width - 1) : is_negative,
            is_negative};
        return width > 1 ? graph_.concatenate(parts) : is_negative;
    };
    const Word a_sign = graph_.extract(a, width - 1, 1);
    switch (instruction.getIntrinsicID()) {
        case llvm::Intrinsic::uadd_sat: {
            const Word sum = graph_.add(graph_.zero_extend(a, width + 1), graph_.zero_extend(b, width + 1));
            return graph_.select(graph_.extract(sum, width, 1), graph_.ones(width),
                                 graph_.extract(sum, 0, width));
        }
        case llvm::Intrinsic::usub_sat:
            return graph_.select(compare_words(llvm::CmpInst::ICMP_ULT, a, b), graph_.constant(0, width),
                                 graph_.subtract(a, b));
        case llvm::Intrinsic::sadd_sat:
        case llvm::Intrinsic::ssub_sat: {
            const Word wide_a = graph_.sign_extend(a, width + 1);
            const Word wide_b = graph_.sign_extend(b, width + 1);
            const Word result = instruction.getIntrinsicID() == llvm::Intrinsic::sadd_sat
                                    ? graph_.add(wide_a, wide_b)
                                    : graph_.subtract(wide_a, wide_b);
            const Word sign = graph_.extract(result, width, 1);
            const Word overflows = graph_.bit_xor(sign, graph_.extract(result, width - 1, 1));
            return graph_.select(overflows, limit(sign), graph_.extract(result, 0, width));
        }
        case llvm::Intrinsic::ushl_sat: {
            const Word shifted = graph_.shift_left(a, b);
            return graph_.select(graph_.equal(graph_.shift_right_logical(shifted, b), a), shifted,
                                 graph_.ones(width));
        }
        default: {
            const Word shifted = graph_.shift_left(a, b);
            return graph_.select(graph_.equal(graph_.shift_right_arithmetic(shifted, b), a), shifted,
                                 limit(a_sign));
        }
    }
}

Value Executor::with_overflow(const llvm::IntrinsicInst& instruction) {
    const Word a = word_of(instruction.getArgOperand(0));
    const Word b = word_of(instruction.getArgOperand(1));
    const std::uint32_t width = graph_.width(a);
    const auto id = instruction.getIntrinsicID();
    const bool is_signed = id == llvm::Intrinsic::sadd_with_overflow ||
                           id == llvm::Intrinsic::ssub_with_overflow ||
                           id == llvm::Intrinsic::smul_with_overflow;
    const bool is_product =
        id == llvm::Intrinsic::smul_with_overflow || id == llvm::Intrinsic::umul_with_overflow;
    const std::uint32_t wide = is_product ? 2 * width : width + 1;
    const Word wide_a = graph_.resize(a, wide, is_signed);
    const Word wide_b = graph_.resize(b, wide, is_signed);
    Word exact;
    if (is_product) {
        exact = graph_.multiply(wide_a, wide_b);
    } else if (id == llvm::Intrinsic::sadd_with_overflow || id == llvm::Intrinsic::uadd_with_overflow) {
        exact = graph_.add(wide_a, wide_b);
    } else {
        exact = graph_.subtract(wide_a, wide_b);
    }
    const Word result = graph_.extract(exact, 0, width);
    const Word overflow = graph_.not_equal(graph_.resize(result, wide, is_signed), exact);
    return Value::of(std::vector<Value>{Value::of(result), Value::of(overflow)});
}

}  // namespace toroid::compiler
