// SPDX-License-Identifier: Apache-2.0
// What the kernels with two warps to a pair of bodies have in common: in each step the way back from products
// to accumulators. Two polynomials are interleaved in the program to hide latency.
#pragma once

#include "backend_gpu/rotation/lane_transform.cuh"
#include "backend_gpu/rotation/rotation_block.cuh"

namespace toroid::backend_gpu {

/// Whether one warp hands a body over to another by a barrier of the two, or at a barrier of the whole block:
/// as right and slower, but followed by tools that look for races.
#ifdef TOROID_GPU_BLOCK_BARRIERS
inline constexpr bool pair_barriers = false;
#else
inline constexpr bool pair_barriers = true;
#endif

template <class Shape>
class PairedRotation : protected RotationBlock<Shape> {
    using Base = RotationBlock<Shape>;

 protected:
    using Base::accumulator, Base::arguments_, Base::gates_, Base::half_, Base::lane_, Base::mask_;
    using Base::masks_in_registers, Base::shared_, Base::warp_;

    TOROID_DEVICE PairedRotation(const PackedArguments& arguments, char* shared) : Base(arguments, shared) {}

    static constexpr int pairs = Shape::gates / 2;

    /// Where the products by the key leave component c.
    TOROID_DEVICE SpectrumRow product_row(int gate, int c) const {
        return SpectrumRow(shared_ + Shape::product_at(gate, c), Shape::swizzle(gate, c));
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

    /// The first half of a forward transform: columns in, lines out.
    TOROID_DEVICE void forward_and_exchange(Complex (&z)[16], SpectrumRow by) {
        forward_columns(z, arguments_.constants);
        warp_fence();
        by.store_column(z, lane_);
        warp_fence();
        by.load_own(z, lane_);
    }

 private:
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
        SpectrumRow own = product_row(gate, component);
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
        SpectrumRow row_a = product_row(gate_a, component);
        SpectrumRow row_b = product_row(gate_b, 2);
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
};

}  // namespace toroid::backend_gpu
