// SPDX-License-Identifier: Apache-2.0
// Blind rotation for full batches, N = 512, k = 2: a block of threads takes `gates` accumulators through all
// steps. One step is
//     inverse transforms -> accumulators -> digits -> forward transforms | barrier | products by the key |
//     barrier
// Transforms: 16 lanes hold a polynomial, 16 complex numbers each; 256 = 16 x 16 with one exchange through
// the polynomial's own row of shared memory. Two polynomials are interleaved in the program to hide latency.
// Products: a thread holds the key of one frequency in registers while the gates pass by.
#pragma once

#include "backend_gpu/rotation/lane_transform.cuh"
#include "backend_gpu/rotation/packed_accumulator.cuh"
#include "backend_gpu/rotation/packed_product.cuh"
#include "backend_gpu/rotation/packed_shape.hpp"

namespace toroid::backend_gpu {

/// Whether one warp hands a body over to another by a barrier of the two, or at a barrier of the whole block:
/// as right and slower, but followed by tools that look for races.
#ifdef TOROID_GPU_BLOCK_BARRIERS
inline constexpr bool pair_barriers = false;
#else
inline constexpr bool pair_barriers = true;
#endif

template <class Shape>
class PackedRotation {
 public:
    TOROID_DEVICE PackedRotation(const PackedArguments& arguments, char* shared)
        : arguments_(arguments),
          shared_(shared),
          thread_(static_cast<int>(threadIdx.x)),
          warp_(warp_uniform(thread_ / 32)),
          half_((thread_ / 16) & 1),
          lane_(thread_ & 15),
          first_gate_(static_cast<int>(blockIdx.x) * arguments.gates),
          gates_(min(arguments.gates, arguments.rotations - first_gate_)) {}

    TOROID_DEVICE void run() {
        start();
        LaneTwiddles twiddles;
        twiddles.load(arguments_.lane_table, lane_);
        __syncthreads();
#pragma unroll 1
        for (int step = 0;; ++step) {
            PackedProduct<Shape> product(
                arguments_.key + static_cast<std::int64_t>(min(step, arguments_.steps - 1)) * step_words);
            product.stage(thread_, shared_);
            inverse(twiddles);
            if (step == arguments_.steps) {
                if (warp_ >= pairs) wait_for_bodies();
                break;
            }
            const std::uint16_t next = exponent(step + 1);
            if constexpr (Shape::rounds_share_code) {
#pragma unroll 1
                for (int round = 0; round < 2; ++round) {
                    forward_of_round(round, twiddles);
                    if (round == 0) {
                        multiply<0>(product, step, next);
                    } else {
                        multiply<1>(product, step, next);
                    }
                    twiddles.load(arguments_.lane_table, lane_);
                    __syncthreads();
                }
            } else {
                forward<0>(step & 1, twiddles);
                multiply<0>(product, step, next);
                // Products leave no registers for the twiddles; they arrive while the block gathers.
                twiddles.load(arguments_.lane_table, lane_);
                __syncthreads();
                if constexpr (Shape::rounds == 2) {
                    forward<1>(step & 1, twiddles);
                    multiply<1>(product, step, next);
                    twiddles.load(arguments_.lane_table, lane_);
                    __syncthreads();
                }
            }
        }
        __syncthreads();
        finish();
    }

 private:
    static constexpr bool masks_in_registers = Shape::masks_in_registers;
    static_assert(SpectrumRow::bytes == Shape::row_bytes);
    static constexpr int pairs = Shape::gates / 2;
    static constexpr int step_words = Shape::order.words() * Shape::points;

    TOROID_DEVICE SpectrumRow row(int gate, int r) const {
        return SpectrumRow(shared_ + (gate * Shape::rows + r) * Shape::row_bytes);
    }
    TOROID_DEVICE std::uint16_t* exponents(int parity) const {
        return reinterpret_cast<std::uint16_t*>(shared_ + Shape::exponents_at) +
               parity * Shape::gates * Shape::block;
    }
    TOROID_DEVICE PackedAccumulator<Shape> accumulator(int gate, int component) const {
        return {shared_, gate, component};
    }
    /// The thread's exponent of a step: of gate thread / block, entry thread % block; 0 beyond the last.
    TOROID_DEVICE std::uint16_t exponent(int step) const {
        const int gate = thread_ / Shape::block;
        const int i = step * Shape::block + thread_ % Shape::block;
        if (gate >= gates_ || i >= arguments_.lwe_dimension) return 0;
        return arguments_
            .switched[static_cast<std::int64_t>(first_gate_ + gate) * (arguments_.lwe_dimension + 1) + i];
    }

    template <int round>
    TOROID_DEVICE void multiply(PackedProduct<Shape>& product, int step, std::uint16_t next) {
        product.template prefetch<round>(thread_);
        if constexpr (round == 0) {
            if (thread_ < Shape::gates * Shape::block) exponents((step + 1) & 1)[thread_] = next;
        }
        __syncthreads();
        product.template run<round>(thread_, gates_, shared_, exponents(step & 1));
    }

    /// Spectra 0, accumulators (0, X^-b * 1/8 (1 + X + ...)).
    TOROID_DEVICE void start() {
        for (int i = thread_; i < Shape::roots_at / 16; i += Shape::threads) {
            reinterpret_cast<int4*>(shared_)[i] = make_int4(0, 0, 0, 0);
        }
        if constexpr (Shape::block > 1) {
            for (int e = thread_; e < Shape::points; e += Shape::threads) {
                reinterpret_cast<Complex*>(shared_ + Shape::roots_at)[root_place(e)] = arguments_.roots[e];
            }
        }
#pragma unroll
        for (int a = 0; a < 16; ++a) mask_[a] = {0, 0};
        constexpr int components = Shape::high_components;
        for (int i = thread_; i < Shape::gates * components * Shape::points; i += Shape::threads) {
            const int gate = i / (components * Shape::points);
            const int component = masks_in_registers ? 2 : i / Shape::points % components;
            const int c = i % Shape::points;
            TorusPair value{0, 0};
            if (component == 2 && gate < gates_) {
                const int b = arguments_.switched[static_cast<std::int64_t>(first_gate_ + gate) *
                                                      (arguments_.lwe_dimension + 1) +
                                                  arguments_.lwe_dimension];
                const auto eighth = [&](int j) {
                    return ((j + b) & Shape::ring) != 0 ? 0U - (1U << 29) : 1U << 29;
                };
                value = {eighth(c), eighth(c + Shape::points)};
            }
            accumulator(gate, component).put(c, value);
        }
        if (thread_ < Shape::gates * Shape::block) exponents(0)[thread_] = exponent(0);
    }

    // Half-warp h of warp w has mask h of gate w. Bodies go in pairs of gates (i, i + gates / 2), one a
    // half-warp: warp i transforms them back, warp i + gates / 2 forth, so that each scheduler gets as much
    // as any other.
    TOROID_DEVICE void inverse(const LaneTwiddles& twiddles) {
        const bool has_mask = warp_ < gates_;
        if (has_mask && warp_ < pairs) {
            inverse_two(warp_, half_, warp_ + half_ * pairs, twiddles);
        } else if (has_mask) {
            inverse_one(warp_, half_, twiddles);
        }
        if (!pair_barriers) {
            __syncthreads();
        } else if (warp_ < pairs) {
            barrier_arrive(1 + warp_, 64);
        }
    }
    /// For warps of the upper half: inverse() has ended in the warp that has the same bodies.
    TOROID_DEVICE void wait_for_bodies() {
        if (pair_barriers) barrier_wait(1 + warp_ - pairs, 64);
    }

    template <int round>
    TOROID_DEVICE void forward(int parity, const LaneTwiddles& twiddles) {
        const int pair = warp_ - pairs;
        const bool has_body = warp_ >= pairs && pair < gates_;
        const int body_gate = pair + half_ * pairs;
        if constexpr (round == 0) {
            constexpr int levels = Shape::rounds == 2 ? Shape::body_levels - 1 : Shape::body_levels;
            if constexpr (levels == 2 && Shape::block > 1) {
                // One piece of code for masks and bodies, to spare the instruction cache: 1% (where both are
                // rotated in different ways it costs 8%).
#pragma unroll 1
                for (int item = warp_ < gates_ ? 0 : 1; item < (warp_ < pairs ? 1 : 2); ++item) {
                    if (item == 1) wait_for_bodies();
                    if (item == 1 && !has_body) break;
                    forward_levels<2>(parity, item == 0 ? warp_ : body_gate, item == 0 ? half_ : 2, twiddles);
                }
            } else {
                if (warp_ < gates_) forward_levels<2>(parity, warp_, half_, twiddles);
                if (warp_ >= pairs) wait_for_bodies();
                if (has_body) forward_levels<levels>(parity, body_gate, 2, twiddles);
            }
        } else {
            // The last level of each component, into its second row.
            constexpr int mask_level = Shape::mask_levels - 1;
            constexpr int body_level = Shape::body_levels - 1;
            Complex z[16];
            if (warp_ < gates_) digits_of<true>(parity, warp_, half_, mask_level, z);
            SpectrumRow out = row(warp_, Shape::product_row(half_) + 1);
            if (has_body) {
                Complex b[16];
                digits_of<true>(parity, body_gate, 2, body_level, b);
                forward_two(z, b, out, row(body_gate, Shape::product_row(2) + 1), twiddles);
            } else if (warp_ < gates_) {
                forward_one(z, out, twiddles);
            }
        }
    }

    /// The transforms of either round of two: digits of two polynomials side by side, then of one.
    ///     round 0: the first two levels of a mask; the first level of a body
    ///     round 1: the last levels of a mask and a body; the last level of a mask whose warp has no body
    TOROID_DEVICE void forward_of_round(int round, const LaneTwiddles& twiddles) {
        const int pair = warp_ - pairs;
        const int body_gate = pair + half_ * pairs;
        const bool first = round == 0;
        const bool has_mask = warp_ < gates_;
        const bool has_body = warp_ >= pairs && pair < gates_;
        const int mask_row = Shape::product_row(half_);
        constexpr int body_row = Shape::first_digit_row(2);
        if (first ? has_mask : has_body) {
            Complex a[16];
            Complex b[16];
            digits_of<true>(0, warp_, half_, first ? 0 : Shape::mask_levels - 1, a);
            digits_of<true>(0, first ? warp_ : body_gate, first ? half_ : 2, 1, b);
            // Gate and row are chosen, not addresses: of those the compiler would not know the memory space.
            forward_two(a, b, row(warp_, first ? mask_row : mask_row + 1),
                        row(first ? warp_ : body_gate, first ? mask_row + 1 : body_row), twiddles);
        }
        if (first && warp_ >= pairs) wait_for_bodies();
        if (first ? has_body : has_mask && warp_ < pairs) {
            Complex z[16];
            digits_of<true>(0, first ? body_gate : warp_, first ? 2 : half_,
                            first ? 0 : Shape::mask_levels - 1, z);
            forward_one(z, row(first ? body_gate : warp_, first ? body_row : mask_row + 1), twiddles);
        }
    }

    /// Prepared words of pairs 4 t ... 4 t + 3 of a polynomial, or of (X^a - 1) times it for blocks of one.
    /// What quads() returns is called for each t.
    template <bool second_round>
    TOROID_DEVICE auto quads(int parity, int gate, int component, const PackedGadgetDigits& digits) {
        const bool body = component == 2;
        const int power = exponents(parity)[gate * Shape::block];
        // A mask in registers is rotated by way of a row that will be written later.
        SpectrumRow scratch = row(gate, Shape::product_row(component) + 1);
        if (masks_in_registers && !body) {
#pragma unroll
            for (int a = 0; a < 16; ++a)
                scratch.put_pair(16 * a + lane_, make_uint2(mask_[a].re, mask_[a].im));
            warp_fence();
        }
        const PackedAccumulator<Shape> stored = accumulator(gate, component);
        return [=, this](int t, TorusPair(&pairs)[4]) {
            if (body || second_round) stored.load_quad(t, lane_, pairs);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const int a = 4 * t + i;
                if (!masks_in_registers && !body && !second_round) pairs[i] = mask_[a];
                if constexpr (masks_in_registers) {
                    const int c = 16 * a + lane_;
                    TorusPair turned;
                    if (body) {
                        turned = rotated([&](int at) { return stored.get(at); }, c, power);
                    } else {
                        pairs[i] = mask_[a];
                        turned = rotated(
                            [&](int at) {
                                const uint2 pair = scratch.get_pair(at);
                                return TorusPair{pair.x, pair.y};
                            },
                            c, power);
                    }
                    pairs[i] = {turned.re - pairs[i].re, turned.im - pairs[i].im};
                }
                pairs[i] = digits.prepared(pairs[i]);
            }
        };
    }

    template <bool second_round>
    TOROID_DEVICE void digits_of(int parity, int gate, int component, int level, Complex (&z)[16]) {
        const PackedGadgetDigits digits(arguments_, component == 2);
        const auto quad = quads<second_round>(parity, gate, component, digits);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            TorusPair pairs[4];
            quad(t, pairs);
#pragma unroll
            for (int i = 0; i < 4; ++i) z[4 * t + i] = digits.digit(pairs[i], level);
        }
    }

    /// The first one or two levels of a component, into its rows.
    template <int levels>
    TOROID_DEVICE void forward_levels(int parity, int gate, int component, const LaneTwiddles& twiddles) {
        const int first = Shape::first_digit_row(component);
        Complex a[16];
        if constexpr (levels == 1) {
            digits_of<false>(parity, gate, component, 0, a);
            forward_one(a, row(gate, first), twiddles);
        } else {
            Complex b[16];
            const PackedGadgetDigits digits(arguments_, component == 2);
            const auto quad = quads<false>(parity, gate, component, digits);
#pragma unroll
            for (int t = 0; t < 4; ++t) {
                TorusPair pairs[4];
                quad(t, pairs);
#pragma unroll
                for (int i = 0; i < 4; ++i) {
                    a[4 * t + i] = digits.digit(pairs[i], 0);
                    b[4 * t + i] = digits.digit(pairs[i], 1);
                }
            }
            forward_two(a, b, row(gate, first), row(gate, first + 1), twiddles);
        }
    }

    TOROID_DEVICE void add_mask(const Complex (&z)[16], int gate, int component) {
        if constexpr (masks_in_registers) {
#pragma unroll
            for (int a = 0; a < 16; ++a) {
                const TorusPair more = increment(z[a], a, arguments_.constants);
                mask_[a] = {mask_[a].re + more.re, mask_[a].im + more.im};
            }
        } else {
            accumulator(gate, component).add(z, arguments_.constants, lane_, mask_);
        }
    }
    TOROID_DEVICE void add_body(const Complex (&z)[16], int gate) {
        TorusPair sums[16];
        accumulator(gate, 2).add(z, arguments_.constants, lane_, sums);
    }

    /// A mask.
    TOROID_DEVICE void inverse_one(int gate, int component, const LaneTwiddles& twiddles) {
        Complex z[16];
        SpectrumRow own = row(gate, Shape::product_row(component));
        own.load_lines(z, lane_);
        inverse_columns(z, arguments_.constants);
        warp_fence();
        own.store_own(z, lane_);
        warp_fence();
        own.load_column(z, lane_);
        lane_rows<true>(z, twiddles);
        add_mask(z, gate, component);
        warp_fence();
    }

    /// A mask and a body.
    TOROID_DEVICE void inverse_two(int gate_a, int component, int gate_b, const LaneTwiddles& twiddles) {
        Complex a[16];
        Complex b[16];
        SpectrumRow row_a = row(gate_a, Shape::product_row(component));
        SpectrumRow row_b = row(gate_b, Shape::product_row(2));
        row_a.load_lines(a, lane_);
        row_b.load_lines(b, lane_);
        inverse_columns(a, arguments_.constants);
        warp_fence();
        row_a.store_own(a, lane_);
        warp_fence();
        row_a.load_column(a, lane_);
        inverse_columns(b, arguments_.constants);
        row_b.store_own(b, lane_);
        warp_fence();
        row_b.load_column(b, lane_);
        lane_rows<true>(a, twiddles);
        add_mask(a, gate_a, component);
        lane_rows<true>(b, twiddles);
        add_body(b, gate_b);
        warp_fence();
    }

    TOROID_DEVICE void forward_one(Complex (&z)[16], SpectrumRow out, const LaneTwiddles& twiddles) {
        forward_columns(z, arguments_.constants);
        warp_fence();
        out.store_column(z, lane_);
        warp_fence();
        out.load_own(z, lane_);
        lane_rows<false>(z, twiddles);
        warp_fence();
        out.store_lines(z, lane_);
    }

    TOROID_DEVICE void forward_two(Complex (&a)[16], Complex (&b)[16], SpectrumRow out_a, SpectrumRow out_b,
                                   const LaneTwiddles& twiddles) {
        forward_columns(a, arguments_.constants);
        warp_fence();
        out_a.store_column(a, lane_);
        warp_fence();
        out_a.load_own(a, lane_);
        forward_columns(b, arguments_.constants);
        out_b.store_column(b, lane_);
        warp_fence();
        out_b.load_own(b, lane_);
        lane_rows<false>(a, twiddles);
        warp_fence();
        out_a.store_lines(a, lane_);
        lane_rows<false>(b, twiddles);
        out_b.store_lines(b, lane_);
    }

    /// Accumulators as (k+1) N words each, over the spectra, and from there to their places.
    TOROID_DEVICE void finish() const {
        constexpr int words = Shape::components * Shape::ring;
        std::uint32_t* const all = reinterpret_cast<std::uint32_t*>(shared_);
        const auto put = [&](int gate, int component, int c, TorusPair pair) {
            std::uint32_t* const at = all + gate * words + component * Shape::ring + c;
            at[0] = pair.re;
            at[Shape::points] = pair.im;
        };
        if constexpr (masks_in_registers) {
#pragma unroll
            for (int a = 0; a < 16; ++a) put(warp_, half_, 16 * a + lane_, mask_[a]);
        }
        constexpr int components = Shape::high_components;
        for (int i = thread_; i < Shape::gates * components * Shape::points; i += Shape::threads) {
            const int gate = i / (components * Shape::points);
            const int component = masks_in_registers ? 2 : i / Shape::points % components;
            put(gate, component, i % Shape::points, accumulator(gate, component).get(i % Shape::points));
        }
        __syncthreads();
        constexpr int masks = 2 * Shape::ring;
        for (int gate = 0; gate < gates_; ++gate) {
            const std::int64_t rotation = first_gate_ + gate;
            const std::uint32_t* const own = all + gate * words;
            if (arguments_.accumulators != nullptr) {
                std::uint32_t* const out = arguments_.accumulators + rotation * words;
                for (int i = thread_; i < words; i += Shape::threads) out[i] = own[i];
            }
            if (arguments_.samples == nullptr) continue;
            std::uint32_t* const out = arguments_.samples + rotation * arguments_.sample_stride;
            for (int i = thread_; i <= masks; i += Shape::threads) {
                const int j = i & (Shape::ring - 1);
                out[i] = j == 0 ? own[i] : 0U - own[i - j + Shape::ring - j];
            }
        }
    }

    TorusPair mask_[16];
    const PackedArguments& arguments_;
    char* shared_;
    int thread_;
    int warp_;
    int half_;
    int lane_;
    int first_gate_;
    int gates_;
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    packed_rotation(const TOROID_GRID_CONSTANT PackedArguments arguments) {
    extern __shared__ double2 shared_memory[];
    PackedRotation<Shape>(arguments, reinterpret_cast<char*>(shared_memory)).run();
}

}  // namespace toroid::backend_gpu
