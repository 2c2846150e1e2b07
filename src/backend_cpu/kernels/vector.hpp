// SPDX-License-Identifier: Apache-2.0
// Vectors of `lanes` values through the compilers' vector extensions. Included only by the
// per-instruction-set files, which define TOROID_CPU_ISA: everything here lives in a namespace of that name,
// so that no inline function compiled for one instruction set can be linked into another. For the same
// reason: no standard library beyond <cstdint>.
#pragma once

#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#ifndef TOROID_CPU_ISA
#error "define TOROID_CPU_ISA before including a kernel"
#endif

#define TOROID_INLINE __attribute__((always_inline)) inline
/// A function of its own in the machine code, so that profiles name it and it is compiled once.
#define TOROID_PHASE __attribute__((noinline))

namespace toroid::backend_cpu::TOROID_CPU_ISA {

template <int lanes>
struct Lanes {
    typedef double Real __attribute__((vector_size(lanes * 8)));
    typedef std::uint64_t Long __attribute__((vector_size(lanes * 8)));
    typedef std::uint32_t Word __attribute__((vector_size(lanes * 4)));
    typedef std::int32_t Signed __attribute__((vector_size(lanes * 4)));
};
template <int lanes>
using Real = typename Lanes<lanes>::Real;
template <int lanes>
using Long = typename Lanes<lanes>::Long;
template <int lanes>
using Word = typename Lanes<lanes>::Word;
template <int lanes>
using Signed = typename Lanes<lanes>::Signed;

/// Loads and stores at the alignment of one element.
template <typename Vector, typename Element>
TOROID_INLINE Vector load(const Element* from) {
    Vector out;
    __builtin_memcpy(&out, from, sizeof(Vector));
    return out;
}
template <typename Vector, typename Element>
TOROID_INLINE void store(Element* to, const Vector& value) {
    __builtin_memcpy(to, &value, sizeof(Vector));
}
/// The same where the address is a multiple of the vector's size.
template <typename Vector, typename Element>
TOROID_INLINE Vector load_aligned(const Element* from) {
    Vector out;
    __builtin_memcpy(&out, __builtin_assume_aligned(from, sizeof(Vector)), sizeof(Vector));
    return out;
}
template <typename Vector, typename Element>
TOROID_INLINE void store_aligned(Element* to, const Vector& value) {
    __builtin_memcpy(__builtin_assume_aligned(to, sizeof(Vector)), &value, sizeof(Vector));
}

/// Asks for `count` doubles before they are needed.
TOROID_INLINE void prefetch(const double* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; i += 8) __builtin_prefetch(from + i, 0, 3);
}

template <typename Vector, typename Element>
TOROID_INLINE Vector broadcast(Element value) {
    return value - Vector{};  // unlike + 0, an identity for every value
}

/// One complex value a lane.
template <int lanes>
struct Complex {
    Real<lanes> re;
    Real<lanes> im;
};

/// Re and im parts next to each other: point p of an interleaved array starts at p * 2 * lanes.
template <int lanes>
TOROID_INLINE Complex<lanes> load_complex(const double* from) {
    return {load_aligned<Real<lanes>>(from), load_aligned<Real<lanes>>(from + lanes)};
}
template <int lanes>
TOROID_INLINE void store_complex(double* to, const Complex<lanes>& value) {
    store_aligned(to, value.re);
    store_aligned(to + lanes, value.im);
}

template <int lanes>
TOROID_INLINE Complex<lanes> operator+(const Complex<lanes>& a, const Complex<lanes>& b) {
    return {a.re + b.re, a.im + b.im};
}
template <int lanes>
TOROID_INLINE Complex<lanes> operator-(const Complex<lanes>& a, const Complex<lanes>& b) {
    return {a.re - b.re, a.im - b.im};
}
/// a w and a conj(w).
template <int lanes>
TOROID_INLINE Complex<lanes> times(const Complex<lanes>& a, const Complex<lanes>& w) {
    return {a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}
template <int lanes>
TOROID_INLINE Complex<lanes> times_conjugate(const Complex<lanes>& a, const Complex<lanes>& w) {
    return {a.re * w.re + a.im * w.im, a.im * w.re - a.re * w.im};
}

/// Four complex values by name: the compilers keep members in registers, but not arrays that loops run over.
template <int lanes>
struct Quad {
    Complex<lanes> a0, a1, a2, a3;
};
/// Points `stride` doubles apart.
template <int lanes>
TOROID_INLINE Quad<lanes> load_quad(const double* from, std::int64_t stride) {
    return {load_complex<lanes>(from), load_complex<lanes>(from + stride),
            load_complex<lanes>(from + 2 * stride), load_complex<lanes>(from + 3 * stride)};
}
template <int lanes>
TOROID_INLINE void store_quad(double* to, std::int64_t stride, const Quad<lanes>& value) {
    store_complex(to, value.a0);
    store_complex(to + stride, value.a1);
    store_complex(to + 2 * stride, value.a2);
    store_complex(to + 3 * stride, value.a3);
}

/// sum += a b
template <int lanes>
TOROID_INLINE void add_product(Complex<lanes>& sum, const Complex<lanes>& a, const Complex<lanes>& b) {
    sum.re = sum.re + a.re * b.re;
    sum.im = sum.im + a.re * b.im;
    sum.re = sum.re - a.im * b.im;
    sum.im = sum.im + a.im * b.re;
}

/// Exact conversion. The compilers split the generic form in halves, so the wide ones are spelt out.
template <int lanes>
TOROID_INLINE Real<lanes> to_real(const Signed<lanes>& value) {
    return __builtin_convertvector(value, Real<lanes>);
}
/// The low words.
template <int lanes>
TOROID_INLINE Word<lanes> low_words(const Long<lanes>& value) {
    return __builtin_convertvector(value, Word<lanes>);
}
#if defined(__AVX2__)
template <>
TOROID_INLINE Real<4> to_real<4>(const Signed<4>& value) {
    return reinterpret_cast<Real<4>>(_mm256_cvtepi32_pd(reinterpret_cast<__m128i>(value)));
}
template <>
TOROID_INLINE Word<4> low_words<4>(const Long<4>& value) {
    const __m128 low = _mm256_castps256_ps128(reinterpret_cast<__m256>(value));
    const __m128 high = _mm256_extractf128_ps(reinterpret_cast<__m256>(value), 1);
    return reinterpret_cast<Word<4>>(_mm_shuffle_ps(low, high, 0x88));
}
#endif
#if defined(__AVX512F__)
// The unmasked forms make GCC 12 warn of an uninitialised value in its own header.
template <>
TOROID_INLINE Real<8> to_real<8>(const Signed<8>& value) {
    return reinterpret_cast<Real<8>>(_mm512_maskz_cvtepi32_pd(0xFF, reinterpret_cast<__m256i>(value)));
}
template <>
TOROID_INLINE Word<8> low_words<8>(const Long<8>& value) {
    return reinterpret_cast<Word<8>>(_mm512_maskz_cvtepi64_epi32(0xFF, reinterpret_cast<__m512i>(value)));
}
#endif

/// The nearest integer modulo 2^32 of |value| < 2^51, or with `reduce` of |value| < 2^83: added to 1.5 * 2^52
/// it stands in the low mantissa bits.
template <int lanes, bool reduce>
TOROID_INLINE Word<lanes> round_to_torus(Real<lanes> value) {
    constexpr double shifter = 6755399441055744.0;
    constexpr double modulus = 4294967296.0;
    if constexpr (reduce) {
        const Real<lanes> turns = (value * (1 / modulus) + shifter) - shifter;
        value = value - turns * modulus;
    }
    return low_words<lanes>(reinterpret_cast<Long<lanes>>(value + shifter));
}

/// rows[i][j] <-> rows[j][i] for `lanes` rows of `lanes` words.
template <int lanes>
TOROID_INLINE void transpose(Word<lanes> (&rows)[lanes]) {
    if constexpr (lanes == 2) {
        const Word<2> a = rows[0];
        const Word<2> b = rows[1];
        rows[0] = __builtin_shufflevector(a, b, 0, 2);
        rows[1] = __builtin_shufflevector(a, b, 1, 3);
    } else if constexpr (lanes == 4) {
        const Word<4> a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
        const Word<4> b = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
        const Word<4> c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
        const Word<4> d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
        rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
        rows[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
        rows[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
        rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
    } else {
        static_assert(lanes == 8);
        Word<8> a[8];
        for (int i = 0; i < 4; ++i) {
            a[2 * i] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
            a[2 * i + 1] = __builtin_shufflevector(rows[2 * i], rows[2 * i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
        }
        Word<8> b[8];  // b[i]: words i and i + 4 of four rows
        for (int half = 0; half < 2; ++half) {
            const Word<8>* in = a + 4 * half;
            Word<8>* out = b + 4 * half;
            out[0] = __builtin_shufflevector(in[0], in[2], 0, 1, 8, 9, 4, 5, 12, 13);
            out[1] = __builtin_shufflevector(in[0], in[2], 2, 3, 10, 11, 6, 7, 14, 15);
            out[2] = __builtin_shufflevector(in[1], in[3], 0, 1, 8, 9, 4, 5, 12, 13);
            out[3] = __builtin_shufflevector(in[1], in[3], 2, 3, 10, 11, 6, 7, 14, 15);
        }
        for (int i = 0; i < 4; ++i) {
            rows[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
            rows[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
        }
    }
}

/// Coefficients of one polynomial that transpose_pieces moves to lanes at once.
template <int lanes>
inline constexpr int piece = lanes == 8 ? 8 : 2 * lanes;

/// `lanes` rows of a piece each: afterwards row i holds, of every former row, word i and, in its upper half
/// where a piece is two times `lanes` long, word i + lanes.
template <int lanes>
TOROID_INLINE void transpose_pieces(Word<piece<lanes>> (&rows)[lanes]) {
    if constexpr (lanes == 8) {
        transpose<8>(rows);
    } else if constexpr (lanes == 2) {
        const Word<4> a = rows[0];
        const Word<4> b = rows[1];
        rows[0] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
        rows[1] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    } else {
        const Word<8> a = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13);
        const Word<8> b = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
        const Word<8> c = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13);
        const Word<8> d = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
        rows[0] = __builtin_shufflevector(a, c, 0, 1, 8, 9, 4, 5, 12, 13);
        rows[1] = __builtin_shufflevector(a, c, 2, 3, 10, 11, 6, 7, 14, 15);
        rows[2] = __builtin_shufflevector(b, d, 0, 1, 8, 9, 4, 5, 12, 13);
        rows[3] = __builtin_shufflevector(b, d, 2, 3, 10, 11, 6, 7, 14, 15);
    }
}

}  // namespace toroid::backend_cpu::TOROID_CPU_ISA
