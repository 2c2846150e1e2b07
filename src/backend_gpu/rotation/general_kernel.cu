// SPDX-License-Identifier: Apache-2.0
// Blind rotation for any shape, one block of threads an accumulator. All rows of a step are transformed
// together in shared memory by radix-4 stages down the tree of transform_tables.hpp:
//     forward    o_t = sum_q (i^t w)^q a_q,        inverse    a_q = w^-q sum_t i^-tq o_t     (times M in all)
#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/device_check.hpp"
#include "backend_gpu/rotation/general_kernel.hpp"

namespace toroid::backend_gpu {
namespace {

constexpr int general_threads = 512;

/// Where element i of a row lies: no two of the eight lanes that access 16 bytes at once share a bank, in any
/// stage.
TOROID_DEVICE int place(int i) {
    return i ^ ((i >> 2) & 7);
}

struct Butterfly {
    Complex a, b, c, d;
};

TOROID_DEVICE Butterfly split(Butterfly in, const Complex* w) {
    const Complex b = multiply(in.b, w[0]);
    const Complex c = multiply(in.c, w[1]);
    const Complex d = multiply(in.d, w[2]);
    const Complex p = add(in.a, c);
    const Complex q = subtract(in.a, c);
    const Complex s = add(b, d);
    const Complex t = subtract(b, d);
    return {add(p, s), {q.x - t.y, q.y + t.x}, subtract(p, s), {q.x + t.y, q.y - t.x}};
}

TOROID_DEVICE Butterfly join(Butterfly in, const Complex* w) {
    const Complex p = add(in.a, in.c);
    const Complex q = subtract(in.a, in.c);
    const Complex s = add(in.b, in.d);
    const Complex t = subtract(in.b, in.d);
    return {add(p, s), multiply_conjugate({q.x + t.y, q.y - t.x}, w[0]),
            multiply_conjugate(subtract(p, s), w[1]), multiply_conjugate({q.x - t.y, q.y + t.x}, w[2])};
}

/// Signed digit of `level` of a word to which the gadget's offset was added.
TOROID_DEVICE double digit(std::uint32_t word, GadgetFields gadget, int level) {
    const std::uint32_t half = std::uint32_t{1} << (gadget.base_log - 1);
    const std::uint32_t field = (word >> (32 - (level + 1) * gadget.base_log)) & (2 * half - 1);
    return static_cast<double>(static_cast<std::int32_t>(field - half));
}

/// Coefficient j of the polynomial times X^power, power < 2N.
TOROID_DEVICE std::uint32_t rotated(const std::uint32_t* polynomial, int j, int power, int ring) {
    const int from = j - power;  // in (-2N, N)
    const std::uint32_t value = polynomial[from & (ring - 1)];
    return (from & ring) != 0 ? 0U - value : value;
}

class GeneralRotation {
 public:
    TOROID_DEVICE GeneralRotation(const GeneralArguments& arguments, Complex* spectra)
        : arguments_(arguments),
          points_(1 << arguments.points_log),
          ring_(2 * points_),
          spectra_(spectra),
          accumulator_(reinterpret_cast<std::uint32_t*>(spectra + arguments.rows * points_)),
          switched_(arguments.switched +
                    static_cast<std::int64_t>(blockIdx.x) * (arguments.lwe_dimension + 1)),
          thread_(static_cast<int>(threadIdx.x)),
          threads_(static_cast<int>(blockDim.x)) {}

    TOROID_DEVICE void run() {
        start();
        for (int first = 0; first < arguments_.lwe_dimension; first += arguments_.block) {
            const int block = min(arguments_.block, arguments_.lwe_dimension - first);
            if (arguments_.block == 1) {
                first_stage<true>(switched_[first]);
            } else {
                first_stage<false>(0);
            }
            __syncthreads();
            forward_stages();
            multiply_key(first, block);
            __syncthreads();
            inverse_stages();
            last_stage();
            __syncthreads();
        }
        finish();
    }

 private:
    TOROID_DEVICE void start() {
        const int power = (2 * ring_ - switched_[arguments_.lwe_dimension]) & (2 * ring_ - 1);
        for (int i = thread_; i < arguments_.components * ring_; i += threads_) {
            const int j = i & (ring_ - 1);
            const bool body = i >= (arguments_.components - 1) * ring_;
            const std::uint32_t eighth = ((j - power) & ring_) != 0 ? 0U - (1U << 29) : 1U << 29;
            accumulator_[i] = body ? eighth : 0U;
        }
        __syncthreads();
    }

    /// Digits of the accumulator, or of (X^power - 1) times it, through the first stage into the rows.
    template <bool rotate>
    TOROID_DEVICE void first_stage(int power) {
        const bool by_two = (arguments_.points_log & 1) != 0;
        const int ways = by_two ? 2 : 4;
        const int part = points_ / ways;
        const int mask_rows = (arguments_.components - 1) * arguments_.mask.levels;
        for (int task = thread_; task < arguments_.rows * part; task += threads_) {
            const int row = task / part;
            const int j = task & (part - 1);
            const bool body = row >= mask_rows;
            const GadgetFields gadget = body ? arguments_.body : arguments_.mask;
            const int component = body ? arguments_.components - 1 : row / gadget.levels;
            const int level = body ? row - mask_rows : row - component * gadget.levels;
            const std::uint32_t* const polynomial = accumulator_ + component * ring_;
            const auto digit_at = [&](int at) {
                std::uint32_t word = polynomial[at];
                if constexpr (rotate) word = rotated(polynomial, at, power, ring_) - word;
                return digit(word + gadget.offset, gadget, level);
            };
            const auto value = [&](int q) {
                const int at = j + q * part;
                return Complex{digit_at(at), digit_at(at + points_)};
            };
            Complex* const out = spectra_ + row * points_;
            if (by_two) {
                const Complex a = value(0);
                const Complex turned = multiply(value(1), arguments_.roots[ring_ / 4]);
                out[place(j)] = add(a, turned);
                out[place(j + part)] = subtract(a, turned);
            } else {
                store(out, j, part, split({value(0), value(1), value(2), value(3)}, arguments_.twiddles));
            }
        }
    }

    TOROID_DEVICE void forward_stages() {
        const bool by_two = (arguments_.points_log & 1) != 0;
        const Complex* twiddles = arguments_.twiddles + (by_two ? 0 : 3);
        for (int length_log = arguments_.points_log - (by_two ? 1 : 2); length_log > 0; length_log -= 2) {
            const int part = 1 << (length_log - 2);
            for (int task = thread_; task < arguments_.rows * (points_ / 4); task += threads_) {
                const int node = (task & (points_ / 4 - 1)) >> (length_log - 2);
                const int at = (node << length_log) + (task & (part - 1));
                Complex* const row = spectra_ + (task >> (arguments_.points_log - 2)) * points_;
                store(row, at, part, split(load(row, at, part), twiddles + 3 * node));
            }
            twiddles += 3 * (points_ >> length_log);
            __syncthreads();
        }
    }

    /// Rows 0...k become sum_j (X^a_j - 1) sum_r row_r BK_j,r (for block 1 without the factor).
    TOROID_DEVICE void multiply_key(int first, int block) {
        const int components = arguments_.components;
        // A thread has all outputs of a leaf, so that it may overwrite the leaf's rows.
        for (int leaf = thread_; leaf < points_; leaf += threads_) {
            constexpr int most_components = 8;
            Complex sums[most_components];
#pragma unroll
            for (int c = 0; c < most_components; ++c) sums[c] = {0, 0};
            const Complex* const row = spectra_ + place(leaf);
            for (int j = 0; j < block; ++j) {
                const Complex* const key =
                    arguments_.key +
                    static_cast<std::int64_t>(first + j) * arguments_.rows * components * points_ + leaf;
                Complex factor{1, 0};
                if (arguments_.block > 1) {
                    factor = root_of(arguments_.roots,
                                     static_cast<unsigned>(switched_[first + j]) *
                                         arguments_.leaf_exponents[leaf],
                                     static_cast<unsigned>(ring_));
                    factor.x -= 1.0;
                }
                for (int r = 0; r < arguments_.rows; ++r) {
                    const Complex value = multiply(row[r * points_], factor);
#pragma unroll
                    for (int c = 0; c < most_components; ++c) {
                        if (c < components) {
                            sums[c] = multiply_add(sums[c], value, key[(r * components + c) * points_]);
                        }
                    }
                }
            }
#pragma unroll
            for (int c = 0; c < most_components; ++c) {
                if (c < components) spectra_[c * points_ + place(leaf)] = sums[c];
            }
        }
    }

    TOROID_DEVICE void inverse_stages() {
        const bool by_two = (arguments_.points_log & 1) != 0;
        const Complex* twiddles = arguments_.twiddles + 3 * stage_nodes_before(arguments_.points_log);
        for (int length_log = 2; length_log < arguments_.points_log - (by_two ? 0 : 1); length_log += 2) {
            const int part = 1 << (length_log - 2);
            twiddles -= 3 * (points_ >> length_log);
            for (int task = thread_; task < arguments_.components * (points_ / 4); task += threads_) {
                const int node = (task & (points_ / 4 - 1)) >> (length_log - 2);
                const int at = (node << length_log) + (task & (part - 1));
                Complex* const row = spectra_ + (task >> (arguments_.points_log - 2)) * points_;
                store(row, at, part, join(load(row, at, part), twiddles + 3 * node));
            }
            __syncthreads();
        }
    }

    /// Inverse of the first stage; the accumulator gains the rounded result.
    TOROID_DEVICE void last_stage() {
        const bool by_two = (arguments_.points_log & 1) != 0;
        const int part = points_ / (by_two ? 2 : 4);
        const double scale = 1.0 / points_;
        for (int task = thread_; task < arguments_.components * part; task += threads_) {
            const int component = task / part;
            const int j = task & (part - 1);
            const Complex* const row = spectra_ + component * points_;
            std::uint32_t* const polynomial = accumulator_ + component * ring_;
            const auto put = [&](int q, Complex value) {
                polynomial[j + q * part] += to_torus(value.x * scale);
                polynomial[j + q * part + points_] += to_torus(value.y * scale);
            };
            if (by_two) {
                const Complex a = row[place(j)];
                const Complex b = row[place(j + part)];
                put(0, add(a, b));
                put(1, multiply_conjugate(subtract(a, b), arguments_.roots[ring_ / 4]));
            } else {
                const Butterfly out = join(load(row, j, part), arguments_.twiddles);
                put(0, out.a);
                put(1, out.b);
                put(2, out.c);
                put(3, out.d);
            }
        }
    }

    TOROID_DEVICE void finish() const {
        const int words = arguments_.components * ring_;
        if (arguments_.accumulators != nullptr) {
            std::uint32_t* const out = arguments_.accumulators + static_cast<std::int64_t>(blockIdx.x) * words;
            for (int i = thread_; i < words; i += threads_) out[i] = accumulator_[i];
        }
        if (arguments_.samples == nullptr) return;
        std::uint32_t* const out = arguments_.samples + blockIdx.x * arguments_.sample_stride;
        const int masks = words - ring_;
        for (int i = thread_; i <= masks; i += threads_) {
            const int j = i & (ring_ - 1);
            out[i] = j == 0 ? accumulator_[i] : 0U - accumulator_[i - j + ring_ - j];
        }
    }

    TOROID_DEVICE static std::uint32_t to_torus(double value) {
        const double wrapped = fma(-4294967296.0, rint(value * 0x1p-32), value);
        return low_word(wrapped + rounding_magic);
    }
    /// Nodes of all radix-4 stages: 1 + 4 + ... (or 2 + 8 + ...) up to M / 4.
    TOROID_DEVICE static int stage_nodes_before(int points_log) {
        int nodes = 0;
        for (int log = points_log & 1; log < points_log; log += 2) nodes += 1 << log;
        return nodes;
    }
    TOROID_DEVICE static Butterfly load(const Complex* row, int at, int part) {
        return {row[place(at)], row[place(at + part)], row[place(at + 2 * part)], row[place(at + 3 * part)]};
    }
    TOROID_DEVICE static void store(Complex* row, int at, int part, const Butterfly& value) {
        row[place(at)] = value.a;
        row[place(at + part)] = value.b;
        row[place(at + 2 * part)] = value.c;
        row[place(at + 3 * part)] = value.d;
    }

    const GeneralArguments& arguments_;
    int points_;
    int ring_;
    Complex* spectra_;
    std::uint32_t* accumulator_;
    const std::uint16_t* switched_;
    int thread_;
    int threads_;
};

__global__ void __launch_bounds__(general_threads) general_rotation(
    const TOROID_GRID_CONSTANT GeneralArguments arguments) {
    extern __shared__ double2 shared_memory[];
    GeneralRotation(arguments, shared_memory).run();
}

}  // namespace

std::int64_t general_shared_bytes(const RotationSizes& sizes) {
    return std::int64_t{sizes.rows()} * sizes.points() * 16 +
           std::int64_t{sizes.components()} * sizes.ring_dimension * 4;
}

void prepare_general(const RotationSizes& sizes) {
    TOROID_GPU_CHECK(gpuAllowSharedMemory(general_rotation, static_cast<int>(general_shared_bytes(sizes))));
}

void launch_general(const GeneralArguments& arguments, std::int64_t shared_bytes, int rotations,
                    gpuStream_t stream) {
    general_rotation<<<static_cast<unsigned>(rotations), general_threads,
                       static_cast<std::size_t>(shared_bytes), stream>>>(arguments);
    TOROID_GPU_CHECK(gpuGetLastError());
}

}  // namespace toroid::backend_gpu
