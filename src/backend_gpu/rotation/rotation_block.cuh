// SPDX-License-Identifier: Apache-2.0
// What the kernels for N = 512, k = 2 have in common: a block of threads that takes up to `gates`
// accumulators through all steps. 16 lanes hold a polynomial, 16 complex numbers each; 256 = 16 x 16 with one
// exchange through shared memory of the polynomial's own.
#pragma once

#include "backend_gpu/rotation/monomial.cuh"
#include "backend_gpu/rotation/packed_accumulator.cuh"
#include "backend_gpu/rotation/packed_arguments.hpp"
#include "backend_gpu/rotation/spectrum_row.cuh"

namespace toroid::backend_gpu {

template <class Shape, class Accumulator = PackedAccumulator<Shape>>
class RotationBlock {
 protected:
    TOROID_DEVICE RotationBlock(const PackedArguments& arguments, char* shared)
        : arguments_(arguments),
          shared_(shared),
          thread_(static_cast<int>(threadIdx.x)),
          warp_(warp_uniform(thread_ / 32)),
          half_((thread_ / 16) & 1),
          lane_(thread_ & 15),
          first_gate_(static_cast<int>(blockIdx.x) * arguments.gates),
          gates_(min(arguments.gates, arguments.rotations - first_gate_)) {}

    static constexpr bool masks_in_registers = Shape::masks_in_registers;
    static constexpr int step_words = Shape::order.words() * Shape::points;

    /// Row r of a gate's spectra, where these are rows of FP64.
    TOROID_DEVICE SpectrumRow row(int gate, int r) const {
        return SpectrumRow(shared_ + (gate * Shape::rows + r) * Shape::row_bytes);
    }
    TOROID_DEVICE std::uint16_t* exponents(int parity) const {
        return reinterpret_cast<std::uint16_t*>(shared_ + Shape::exponents_at) +
               parity * Shape::gates * Shape::block;
    }
    TOROID_DEVICE Accumulator accumulator(int gate, int component) const {
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

    TorusPair mask_[16];  ///< of the lanes' own masks, where they are in registers
    const PackedArguments& arguments_;
    char* shared_;
    int thread_;
    int warp_;
    int half_;
    int lane_;
    int first_gate_;
    int gates_;
};

}  // namespace toroid::backend_gpu
