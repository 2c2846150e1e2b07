// SPDX-License-Identifier: Apache-2.0
// Blind rotation for full batches, N = 512, k = 2: a block of threads takes `gates` accumulators through all
// steps. One step is
//     inverse transforms -> accumulators -> digits -> forward transforms | barrier | products by the key |
//     barrier
// Products: a thread holds the key of one frequency in registers while the gates pass by.
#pragma once

#include "backend_gpu/rotation/packed_product.cuh"
#include "backend_gpu/rotation/packed_shape.hpp"
#include "backend_gpu/rotation/paired_rotation.cuh"

namespace toroid::backend_gpu {

template <class Shape>
class PackedRotation : PairedRotation<Shape> {
    using Base = PairedRotation<Shape>;

 public:
    TOROID_DEVICE PackedRotation(const PackedArguments& arguments, char* shared) : Base(arguments, shared) {}

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
        __syncthreads();
        finish();
    }

 private:
    using Base::accumulator, Base::arguments_, Base::exponent, Base::exponents, Base::finish, Base::gates_;
    using Base::forward_and_exchange, Base::row, Base::shared_, Base::start, Base::step_words, Base::thread_,
        Base::wait_for_bodies, Base::warp_;
    using Base::half_, Base::inverse, Base::lane_, Base::mask_, Base::masks_in_registers, Base::pairs;
    static_assert(SpectrumRow::bytes == Shape::row_bytes);
    template <int round>
    TOROID_DEVICE void multiply(PackedProduct<Shape>& product, int step, std::uint16_t next) {
        product.template prefetch<round>(thread_);
        if constexpr (round == 0) {
            if (thread_ < Shape::gates * Shape::block) exponents((step + 1) & 1)[thread_] = next;
        }
        __syncthreads();
        product.template run<round>(thread_, gates_, shared_, exponents(step & 1));
    }

    template <int round>
    TOROID_DEVICE void forward(int parity, const LaneTwiddles& twiddles) {
        const int pair = warp_ - pairs;
        const bool has_body = warp_ >= pairs && pair < gates_;
        const int body_gate = pair + half_ * pairs;
        if constexpr (round == 0) {
            constexpr int levels = Shape::rounds == 2 ? Shape::body_levels - 1 : Shape::body_levels;
            if constexpr (levels == 2 && Shape::block > 1) {
                // Each warp of a pair has one level of their bodies, so that both end together: 3 % faster.
                if (warp_ < gates_) forward_levels<2>(parity, warp_, half_, twiddles);
                if (warp_ >= pairs) wait_for_bodies();
                const int gate = (warp_ & (pairs - 1)) + half_ * pairs;
                if ((warp_ & (pairs - 1)) < gates_) {
                    const int level = warp_ / pairs;
                    Complex z[16];
                    digits_of<true>(parity, gate, 2, level, z);
                    forward_one(z, row(gate, Shape::first_digit_row(2) + level), twiddles);
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

    TOROID_DEVICE void forward_one(Complex (&z)[16], SpectrumRow out, const LaneTwiddles& twiddles) {
        forward_and_exchange(z, out);
        lane_rows<false>(z, twiddles);
        warp_fence();
        out.store_lines(z, lane_);
    }

    TOROID_DEVICE void forward_two(Complex (&a)[16], Complex (&b)[16], SpectrumRow out_a, SpectrumRow out_b,
                                   const LaneTwiddles& twiddles) {
        forward_and_exchange(a, out_a);
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
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    packed_rotation(const TOROID_GRID_CONSTANT PackedArguments arguments) {
    extern __shared__ double2 shared_memory[];
    PackedRotation<Shape>(arguments, reinterpret_cast<char*>(shared_memory)).run();
}

}  // namespace toroid::backend_gpu
