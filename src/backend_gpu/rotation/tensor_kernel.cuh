// SPDX-License-Identifier: Apache-2.0
// Blind rotation for full batches, N = 512, k = 2, three levels of masks and two of bodies, block keys, with
// FP64 matrix instructions. One step is
//     inverse transforms -> accumulators -> digits -> forward transforms | barrier | products by the key |
//     barrier
// Spectra of digits are kept with 48 bits (36 of the significand), so that those of all rows of eight gates
// fit shared memory.
#pragma once

#include "backend_gpu/rotation/paired_rotation.cuh"
#include "backend_gpu/rotation/tensor_product.cuh"
#include "backend_gpu/rotation/tensor_shape.hpp"

namespace toroid::backend_gpu {

template <class Shape>
class TensorRotation : PairedRotation<Shape> {
    using Base = PairedRotation<Shape>;

 public:
    TOROID_DEVICE TensorRotation(const PackedArguments& arguments, char* shared) : Base(arguments, shared) {}

    TOROID_DEVICE void run() {
        start();
        LaneTwiddles twiddles;
        twiddles.load(arguments_.lane_table, lane_);
        __syncthreads();
#pragma unroll 1
        for (int step = 0;; ++step) {
            inverse(twiddles);
            if (step == arguments_.steps) break;
            const std::uint16_t next = exponent(step + 1);
            forward(twiddles);
            TensorProduct<Shape> product(
                arguments_.key + static_cast<std::int64_t>(step) * Shape::order.words(), shared_, thread_);
            product.prefetch();
            if (thread_ < Shape::gates * Shape::block) exponents((step + 1) & 1)[thread_] = next;
            __syncthreads();
            product.run(exponents(step & 1));
            twiddles.load(arguments_.lane_table, lane_);
            __syncthreads();
        }
        if (warp_ >= pairs) wait_for_bodies();
        __syncthreads();
        finish();
    }

 private:
    using Base::accumulator, Base::arguments_, Base::exponent, Base::exponents, Base::finish, Base::gates_;
    using Base::forward_and_exchange, Base::half_, Base::inverse, Base::lane_, Base::pairs, Base::product_row,
        Base::shared_, Base::start;
    using Base::thread_, Base::wait_for_bodies, Base::warp_;

    /// Masks by the warp of their gate, bodies by the upper half. A mask's third digit goes first: its
    /// exchange is where the spectra of the others will be.
    TOROID_DEVICE void forward(const LaneTwiddles& twiddles) {
        const bool has_mask = warp_ < gates_;
        if (has_mask) forward_last(warp_, half_, twiddles);
        const int gate = warp_ - pairs;
#pragma unroll 1
        for (int item = gate < 0 ? 1 : 0; item < 2; ++item) {
            const bool body = item == 0;
            if (body) wait_for_bodies();
            if (body ? gate >= gates_ : !has_mask) continue;
            forward_pair(body ? gate + half_ * pairs : warp_, body ? 2 : half_, twiddles);
        }
    }

    /// Digits of level `level` and, if not null, of the next.
    TOROID_DEVICE void digits_of(int gate, int component, int level, Complex (&a)[16],
                                 Complex (*b)[16]) const {
        const PackedGadgetDigits digits(arguments_, component == 2);
        const PackedAccumulator<Shape> stored = accumulator(gate, component);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
            TorusPair quad[4];
            stored.load_quad(t, lane_, quad);
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const TorusPair word = digits.prepared(quad[i]);
                a[4 * t + i] = digits.digit(word, level);
                if (b != nullptr) (*b)[4 * t + i] = digits.digit(word, level + 1);
            }
        }
    }

    /// The upper words of a number and the next 16 bits of both parts.
    TOROID_DEVICE static uint2 upper(Complex z) {
        return make_uint2(static_cast<unsigned>(__double2hiint(z.x)),
                          static_cast<unsigned>(__double2hiint(z.y)));
    }
    TOROID_DEVICE static unsigned lower(Complex z) {
        return __byte_perm(low_word(z.x), low_word(z.y), 0x7632);
    }
    TOROID_DEVICE char* upper_place(int gate, int pair) const {
        return shared_ + Shape::upper_at(gate, pair) + (lane_ ^ Shape::swizzle(gate, pair)) * 16;
    }
    TOROID_DEVICE char* lower_place(int gate, int pair) const {
        return shared_ + Shape::lower_at(gate, pair) + (lane_ ^ Shape::swizzle(gate, pair)) * 8;
    }

    TOROID_DEVICE void forward_pair(int gate, int component, const LaneTwiddles& twiddles) {
        Complex a[16];
        Complex b[16];
        digits_of(gate, component, 0, a, &b);
        SpectrumRow exchange = product_row(gate, component);
        forward_and_exchange(a, exchange);
        forward_and_exchange(b, exchange);
        lane_rows<false>(a, twiddles);
        lane_rows<false>(b, twiddles);
        warp_fence();
        char* const high = upper_place(gate, component);
        char* const low = lower_place(gate, component);
#pragma unroll
        for (int q = 0; q < 16; ++q) {
            const uint2 first = upper(a[q]);
            const uint2 second = upper(b[q]);
            *reinterpret_cast<uint4*>(high + q * 256) = make_uint4(first.x, first.y, second.x, second.y);
            *reinterpret_cast<uint2*>(low + q * 128) = make_uint2(lower(a[q]), lower(b[q]));
        }
    }

    /// The third level of a mask.
    TOROID_DEVICE void forward_last(int gate, int component, const LaneTwiddles& twiddles) {
        Complex z[16];
        digits_of(gate, component, 2, z, nullptr);
        SpectrumRow exchange = product_row(gate, component);
        forward_and_exchange(z, exchange);
        lane_rows<false>(z, twiddles);
        warp_fence();
        char* const high = upper_place(gate, 3) + component * 8;
        char* const low = lower_place(gate, 3) + component * 4;
#pragma unroll
        for (int q = 0; q < 16; ++q) {
            *reinterpret_cast<uint2*>(high + q * 256) = upper(z[q]);
            *reinterpret_cast<unsigned*>(low + q * 128) = lower(z[q]);
        }
    }
};

template <class Shape>
__global__ void __launch_bounds__(Shape::threads, 1)
    tensor_rotation(const TOROID_GRID_CONSTANT PackedArguments arguments) {
    extern __shared__ double2 shared_memory[];
    TensorRotation<Shape>(arguments, reinterpret_cast<char*>(shared_memory)).run();
}

}  // namespace toroid::backend_gpu
