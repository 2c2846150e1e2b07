// SPDX-License-Identifier: Apache-2.0
// Blind rotation for batches of few rotations a multiprocessor, N = 512, k = 2: a block of threads takes one
// to `gates` accumulators through all steps. As packed_kernel.cuh, but each transform has 16 lanes of its
// own, those of one accumulator in as many warps as there are, and there is room for all spectra and most of
// the key.
#pragma once

#include "backend_gpu/rotation/lane_transform.cuh"
#include "backend_gpu/rotation/packed_product.cuh"
#include "backend_gpu/rotation/rotation_block.cuh"
#include "backend_gpu/rotation/spread_shape.hpp"

namespace toroid::backend_gpu {

/// An accumulator in shared memory, whole words in order of coefficients.
template <class Shape>
class WholeAccumulator {
 public:
    TOROID_DEVICE WholeAccumulator(char* shared, int gate, int component)
        : pairs_(
              reinterpret_cast<uint2*>(shared + Shape::accumulators_at +
                                       (gate * Shape::components + component) * Shape::accumulator_bytes)) {}

    TOROID_DEVICE TorusPair get(int c) const { return {pairs_[c].x, pairs_[c].y}; }
    TOROID_DEVICE void put(int c, TorusPair value) { pairs_[c] = make_uint2(value.re, value.im); }

 private:
    uint2* pairs_;
};

template <class Shape>
class SpreadRotation : RotationBlock<Shape, WholeAccumulator<Shape>> {
    using Base = RotationBlock<Shape, WholeAccumulator<Shape>>;

 public:
    TOROID_DEVICE SpreadRotation(const PackedArguments& arguments, char* shared) : Base(arguments, shared) {}

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
            for_each(gates_ * Shape::components,
                     [&](int unit, bool valid) { inverse(unit, valid, twiddles); });
            __syncthreads();
            if (step == arguments_.steps) break;
            const std::uint16_t next = exponent(step + 1);
            for_each(gates_ * Shape::digit_rows,
                     [&](int unit, bool valid) { forward(unit, valid, exponents(step & 1), twiddles); });
            product.template prefetch<0>(thread_);
            if (thread_ < Shape::gates * Shape::block) exponents((step + 1) & 1)[thread_] = next;
            __syncthreads();
            product.template run<0>(thread_, gates_, shared_, exponents(step & 1));
            if constexpr (Shape::rounds == 2) {
                product.template prefetch<1>(thread_);
                product.template run<1>(thread_, gates_, shared_, exponents(step & 1));
            }
            twiddles.load(arguments_.lane_table, lane_);
            __syncthreads();
        }
        finish();
    }

 private:
    using Base::accumulator, Base::arguments_, Base::exponent, Base::exponents, Base::finish, Base::gates_;
    using Base::half_, Base::lane_, Base::row, Base::shared_, Base::start, Base::step_words, Base::thread_;
    using Base::warp_;
    static constexpr int warps = Shape::threads / 32;

    /// work(unit, valid) for units < count, by half-warps, whole warps first: all lanes of a warp come along.
    template <class Work>
    TOROID_DEVICE void for_each(int count, const Work& work) const {
#pragma unroll 1
        for (int first = warp_; first < count; first += 2 * warps) {
            const int unit = first + half_ * warps;
            work(unit, unit < count);
        }
    }

    TOROID_DEVICE void inverse(int unit, bool valid, const LaneTwiddles& twiddles) {
        const int gate = unit / Shape::components;
        const int component = unit % Shape::components;
        SpectrumRow own = row(gate, Shape::product_row(component));
        Complex z[16] = {};
        if (valid) own.load_lines(z, lane_);
        inverse_columns(z, arguments_.constants);
        warp_fence();
        if (valid) own.store_own(z, lane_);
        warp_fence();
        if (valid) own.load_column(z, lane_);
        lane_rows<true>(z, twiddles);
        if (!valid) return;
        WholeAccumulator<Shape> sum = accumulator(gate, component);
#pragma unroll
        for (int a = 0; a < 16; ++a) {
            const TorusPair more = increment(z[a], a, arguments_.constants);
            const TorusPair before = sum.get(16 * a + lane_);
            sum.put(16 * a + lane_, {before.re + more.re, before.im + more.im});
        }
    }

    TOROID_DEVICE void forward(int unit, bool valid, const std::uint16_t* exponents,
                               const LaneTwiddles& twiddles) {
        const int gate = unit / Shape::digit_rows;
        const int r = unit % Shape::digit_rows;
        const int component = r < 2 * Shape::mask_levels ? r / Shape::mask_levels : 2;
        SpectrumRow out = row(gate, r);
        Complex z[16] = {};
        if (valid) {
            const PackedGadgetDigits digits(arguments_, component == 2);
            const WholeAccumulator<Shape> from = accumulator(gate, component);
#pragma unroll
            for (int a = 0; a < 16; ++a) {
                const int c = 16 * a + lane_;
                TorusPair pair = from.get(c);
                if constexpr (Shape::block == 1) {
                    const TorusPair turned =
                        rotated([&](int at) { return from.get(at); }, c, exponents[gate]);
                    pair = {turned.re - pair.re, turned.im - pair.im};
                }
                z[a] = digits.digit(digits.prepared(pair), r - component * Shape::mask_levels);
            }
        }
        forward_columns(z, arguments_.constants);
        warp_fence();
        if (valid) out.store_column(z, lane_);
        warp_fence();
        if (valid) out.load_own(z, lane_);
        lane_rows<false>(z, twiddles);
        warp_fence();
        if (valid) out.store_lines(z, lane_);
    }
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    spread_rotation(const TOROID_GRID_CONSTANT PackedArguments arguments) {
    extern __shared__ double2 shared_memory[];
    SpreadRotation<Shape>(arguments, reinterpret_cast<char*>(shared_memory)).run();
}

}  // namespace toroid::backend_gpu
