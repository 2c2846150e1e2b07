// SPDX-License-Identifier: Apache-2.0
// Blind rotation for full batches, N = 512, k = 2: a block of threads takes `gates` accumulators through all
// steps. One step is
//     inverse transforms -> accumulators -> digits -> forward transforms | barrier | products by the key |
//     barrier
// Transforms: 16 lanes hold a polynomial, 16 complex numbers each; 256 = 16 x 16 with one exchange through the
// polynomial's own row of shared memory. Two polynomials are interleaved in the program to hide latency.
// Products: a thread holds the key of one frequency in registers while the gates pass by.
#pragma once

#include "backend_gpu/rotation/lane_transform.cuh"
#include "backend_gpu/rotation/packed_accumulator.cuh"
#include "backend_gpu/rotation/packed_product.cuh"
#include "backend_gpu/rotation/packed_shape.hpp"

namespace toroid::backend_gpu {

/// Who transforms which bodies. Masks: half-warp h of warp w has mask h of gate w. Bodies go in pairs of gates
/// (i, i + gates / 2), one a half-warp; a warp's share is a bit mask of pairs.
template <int gates>
struct BodySchedule {
    /// Inverse on the first half of the warps, forward on the second: every scheduler gets one of each.
    TOROID_DEVICE static int inverse_pairs(int warp) { return warp < gates / 2 ? 1 << warp : 0; }
    TOROID_DEVICE static int forward_pairs(int warp) { return warp >= gates / 2 ? 1 << (warp - gates / 2) : 0; }
    /// Barrier between the warp that makes a pair's accumulators and the one that decomposes them.
    TOROID_DEVICE static void made(int warp) {
        if (warp < gates / 2) barrier_arrive(1 + warp, 64);
    }
    TOROID_DEVICE static void wait(int warp) {
        if (warp >= gates / 2) barrier_wait(1 + warp - gates / 2, 64);
    }
};
/// Six gates leave the masks to six warps, all bodies to two.
template <>
struct BodySchedule<6> {
    TOROID_DEVICE static int inverse_pairs(int warp) { return warp == 6 ? 0b011 : warp == 7 ? 0b100 : 0; }
    TOROID_DEVICE static int forward_pairs(int warp) { return warp == 6 ? 0b001 : warp == 7 ? 0b110 : 0; }
    TOROID_DEVICE static void made(int warp) {
        if (warp == 6) barrier_arrive(1, 64);
    }
    TOROID_DEVICE static void wait(int warp) {
        if (warp == 7) barrier_wait(1, 64);
    }
};

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
        __syncthreads();
#pragma unroll 1
        for (int step = 0;; ++step) {
            LaneTwiddles twiddles;
            twiddles.load(arguments_.lane_table, lane_);
            inverse(twiddles);
            Body::made(warp_);
            if (step == arguments_.steps) {
                Body::wait(warp_);
                break;
            }
            const std::uint16_t next = exponent(step + 1);
            forward(step & 1, twiddles);
            PackedProduct<Shape> product(
                arguments_.key + static_cast<std::int64_t>(step) * Shape::order.words() * Shape::points);
            product.prefetch(thread_);
            if (thread_ < Shape::gates * Shape::block) exponents((step + 1) & 1)[thread_] = next;
            __syncthreads();
            product.run(thread_, gates_, shared_, exponents(step & 1));
            __syncthreads();
        }
        __syncthreads();
        finish();
    }

 private:
    using Body = BodySchedule<Shape::gates>;

    TOROID_DEVICE Complex* row(int gate, int r) const {
        return reinterpret_cast<Complex*>(shared_ + (gate * Shape::rows + r) * Shape::row_bytes);
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
        return arguments_.switched[static_cast<std::int64_t>(first_gate_ + gate) *
                                       (arguments_.lwe_dimension + 1) +
                                   i];
    }

    /// Spectra 0, accumulators (0, X^-b * 1/8 (1 + X + ...)).
    TOROID_DEVICE void start() {
        for (int i = thread_; i < Shape::gates * Shape::rows * Shape::points; i += Shape::threads) {
            reinterpret_cast<Complex*>(shared_)[i] = {0, 0};
        }
        for (int e = thread_; e < Shape::ring; e += Shape::threads) {
            reinterpret_cast<Complex*>(shared_ + Shape::roots_at)[root_place(e)] = arguments_.roots[e];
        }
        for (int i = thread_; i < Shape::gates * Shape::components * Shape::points; i += Shape::threads) {
            const int gate = i / (Shape::components * Shape::points);
            const int component = i / Shape::points % Shape::components;
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

    TOROID_DEVICE void inverse(const LaneTwiddles& twiddles) {
        const bool has_mask = warp_ < gates_;
        int pairs = Body::inverse_pairs(warp_);
        const auto take_body = [&] {
            const int gate = (__ffs(pairs) - 1) + half_ * (Shape::gates / 2);
            pairs &= pairs - 1;
            return gate;
        };
        if (has_mask && pairs != 0) {
            inverse_two(warp_, half_, take_body(), 2, twiddles);
        } else if (has_mask) {
            inverse_one(warp_, half_, twiddles);
        } else if constexpr (Shape::gates == 6) {
            while (pairs != 0) inverse_one(take_body(), 2, twiddles);
        } else if (pairs != 0) {
            inverse_one(take_body(), 2, twiddles);
        }
    }

    TOROID_DEVICE void forward(int parity, const LaneTwiddles& twiddles) {
        if (warp_ < gates_) forward_polynomial(parity, warp_, half_, twiddles);
        const int pairs = Body::forward_pairs(warp_);
        if constexpr (Shape::gates == 6) {
            if (warp_ < 6) return;
            if (warp_ == 6) {
                forward_polynomial(parity, half_ * 3, 2, twiddles);
            } else {
                forward_polynomial(parity, 2 + half_ * 3, 2, twiddles);
                Body::wait(warp_);
                forward_polynomial(parity, 1 + half_ * 3, 2, twiddles);
            }
        } else {
            Body::wait(warp_);
            if (pairs != 0 && warp_ - Shape::gates / 2 < gates_) {
                forward_polynomial(parity, warp_ - Shape::gates / 2 + half_ * (Shape::gates / 2), 2, twiddles);
            }
        }
    }

    TOROID_DEVICE void forward_polynomial(int parity, int gate, int component, const LaneTwiddles& twiddles) {
        const bool body = component == 2;
        const int levels = body ? Shape::body_levels : Shape::mask_levels;
        const PackedDigits<Shape> digits(arguments_, accumulator(gate, component), body,
                                         exponents(parity)[gate * Shape::block], lane_);
        Complex* const first = row(gate, component * Shape::mask_levels);
        if (levels >= 2) forward_two(digits, first, twiddles);
        if (levels != 2) forward_one(digits, levels - 1, first + (levels - 1) * Shape::points, twiddles);
    }

    // A row is read and written as [16 q + lane] in order of frequencies, and for the exchange as
    // [16 p + (b ^ p % 8)], where lane b writes or reads a column and lane p a line, both without bank conflict.
    TOROID_DEVICE void load_lines(Complex (&z)[16], const Complex* row) const {
#pragma unroll
        for (int q = 0; q < 16; ++q) z[q] = row[16 * q + lane_];
    }
    TOROID_DEVICE void store_lines(const Complex (&z)[16], Complex* row) const {
#pragma unroll
        for (int q = 0; q < 16; ++q) row[16 * q + lane_] = z[q];
    }
    TOROID_DEVICE void load_column(Complex (&z)[16], const Complex* row) const {
#pragma unroll
        for (int p = 0; p < 16; ++p) z[p] = row[16 * p + (lane_ ^ (p & 7))];
    }
    TOROID_DEVICE void store_column(const Complex (&z)[16], Complex* row) const {
#pragma unroll
        for (int p = 0; p < 16; ++p) row[16 * p + (lane_ ^ (p & 7))] = z[p];
    }
    TOROID_DEVICE void load_own(Complex (&z)[16], const Complex* row) const {
#pragma unroll
        for (int b = 0; b < 16; ++b) z[b] = row[16 * lane_ + (b ^ (lane_ & 7))];
    }
    TOROID_DEVICE void store_own(const Complex (&z)[16], Complex* row) const {
#pragma unroll
        for (int b = 0; b < 16; ++b) row[16 * lane_ + (b ^ (lane_ & 7))] = z[b];
    }

    TOROID_DEVICE void inverse_one(int gate, int component, const LaneTwiddles& twiddles) {
        Complex z[16];
        Complex* const own = row(gate, Shape::product_row(component));
        load_lines(z, own);
        inverse_columns(z, arguments_.constants);
        warp_fence();
        store_own(z, own);
        warp_fence();
        load_column(z, own);
        lane_rows<true>(z, twiddles);
        accumulator(gate, component).add(z, arguments_.constants, lane_);
        warp_fence();
    }

    TOROID_DEVICE void inverse_two(int gate_a, int component_a, int gate_b, int component_b,
                                   const LaneTwiddles& twiddles) {
        Complex a[16];
        Complex b[16];
        Complex* const row_a = row(gate_a, Shape::product_row(component_a));
        Complex* const row_b = row(gate_b, Shape::product_row(component_b));
        load_lines(a, row_a);
        load_lines(b, row_b);
        inverse_columns(a, arguments_.constants);
        warp_fence();
        store_own(a, row_a);
        warp_fence();
        load_column(a, row_a);
        inverse_columns(b, arguments_.constants);
        store_own(b, row_b);
        warp_fence();
        load_column(b, row_b);
        lane_rows<true>(a, twiddles);
        accumulator(gate_a, component_a).add(a, arguments_.constants, lane_);
        lane_rows<true>(b, twiddles);
        accumulator(gate_b, component_b).add(b, arguments_.constants, lane_);
        warp_fence();
    }

    TOROID_DEVICE void forward_one(const PackedDigits<Shape>& digits, int level, Complex* out,
                                   const LaneTwiddles& twiddles) {
        Complex z[16];
        digits.load(z, level);
        forward_columns(z, arguments_.constants);
        warp_fence();
        store_column(z, out);
        warp_fence();
        load_own(z, out);
        lane_rows<false>(z, twiddles);
        warp_fence();
        store_lines(z, out);
    }

    TOROID_DEVICE void forward_two(const PackedDigits<Shape>& digits, Complex* out,
                                   const LaneTwiddles& twiddles) {
        Complex a[16];
        Complex b[16];
        Complex* const out_b = out + Shape::points;
        digits.load_two(a, b);
        forward_columns(a, arguments_.constants);
        warp_fence();
        store_column(a, out);
        warp_fence();
        load_own(a, out);
        forward_columns(b, arguments_.constants);
        store_column(b, out_b);
        warp_fence();
        load_own(b, out_b);
        lane_rows<false>(a, twiddles);
        warp_fence();
        store_lines(a, out);
        lane_rows<false>(b, twiddles);
        store_lines(b, out_b);
    }

    TOROID_DEVICE void finish() const {
        constexpr int masks = 2 * Shape::ring;
        for (int gate = 0; gate < gates_; ++gate) {
            const std::int64_t rotation = first_gate_ + gate;
            const auto word = [&](int i) {
                const int j = i & (Shape::ring - 1);
                const TorusPair pair = accumulator(gate, i / Shape::ring).get(j & (Shape::points - 1));
                return j < Shape::points ? pair.re : pair.im;
            };
            if (arguments_.accumulators != nullptr) {
                constexpr int words = 3 * Shape::ring;
                for (int i = thread_; i < words; i += Shape::threads) {
                    arguments_.accumulators[rotation * words + i] = word(i);
                }
            }
            if (arguments_.samples == nullptr) continue;
            std::uint32_t* const out = arguments_.samples + rotation * arguments_.sample_stride;
            for (int i = thread_; i <= masks; i += Shape::threads) {
                const int j = i & (Shape::ring - 1);
                out[i] = j == 0 ? word(i) : 0U - word(i - j + Shape::ring - j);
            }
        }
    }

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
__global__ void __launch_bounds__(Shape::threads, 1) packed_rotation(
    const TOROID_GRID_CONSTANT PackedArguments arguments) {
    extern __shared__ double2 shared_memory[];
    PackedRotation<Shape>(arguments, reinterpret_cast<char*>(shared_memory)).run();
}

}  // namespace toroid::backend_gpu
