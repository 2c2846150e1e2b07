// SPDX-License-Identifier: Apache-2.0
// Blind rotation for any shape, one block of threads an accumulator, or for low latency one cluster of
// blocks. All rows of a step are transformed together in shared memory by radix-4 stages down the tree of
// transform_tables.hpp:
//     forward    o_t = sum_q (i^t w)^q a_q,        inverse    a_q = w^-q sum_t i^-tq o_t     (times M in all)
// The blocks of a cluster all do the transforms; each multiplies its share of the leaves by the key and
// writes the products into every block's shared memory.
#include <algorithm>

#include "backend_gpu/rotation/butterfly.cuh"
#include "backend_gpu/rotation/complex.cuh"
#include "backend_gpu/rotation/device_check.hpp"
#include "backend_gpu/rotation/general_kernel.hpp"

namespace toroid::backend_gpu {
namespace {

constexpr int alone_threads = 512;    ///< of a block that is no part of a cluster
constexpr int general_threads = 576;  ///< at most, of a block of a cluster
/// Rows whose key a thread of a cluster holds.
constexpr int most_cluster_rows = 8;
/// Products that a thread holds before any is written, and rows whose key it loads together.
constexpr int most_products = 4;
constexpr int rows_at_once = 4;

/// Where element i of a row lies: no two of the eight lanes that access 16 bytes at once share a bank, in any
/// stage.
TOROID_DEVICE int place(int i) {
    return i ^ ((i >> 2) & 7);
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

/// fixed_log: log2 M where it is known at compile time, else 0.
template <bool clustered, int fixed_log>
class GeneralRotation {
 public:
    TOROID_DEVICE GeneralRotation(const GeneralArguments& arguments, Complex* spectra)
        : arguments_(arguments),
          points_(1 << (fixed_log > 0 ? fixed_log : arguments.points_log)),
          ring_(2 * points_),
          spectra_(spectra),
          products_(spectra),
          twiddles_(arguments.twiddles),
          level_reciprocal_((65535 + arguments.mask.levels) / arguments.mask.levels),
          accumulator_(reinterpret_cast<std::uint32_t*>(spectra + arguments.rows * points_)),
          rotation_(clustered ? blockIdx.x / static_cast<unsigned>(arguments.cluster) : blockIdx.x),
          switched_(arguments.switched + rotation_ * (arguments.lwe_dimension + 1)),
          thread_(static_cast<int>(threadIdx.x)),
          threads_(static_cast<int>(blockDim.x)) {}

    TOROID_DEVICE void run() {
        start();
        if constexpr (clustered) {
            run_clustered();
        } else {
            run_alone();
        }
    }

 private:
    TOROID_DEVICE void run_alone() {
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

    // In the cluster, after the accumulator: the products of even and of odd steps, for another block may
    // write the next ones while this one still transforms; then the terms of a sum over a block of the key.
    TOROID_DEVICE void run_clustered() {
        Complex* const after = spectra_ + arguments_.rows * points_ + arguments_.components * (ring_ / 4);
        Complex* const terms = after + 2 * arguments_.components * points_;
        const int slice = points_ / arguments_.cluster;
        const int slice_terms = slice * arguments_.components;
        Complex* const twiddles = terms + (arguments_.block > 1 ? arguments_.block * slice_terms : 0);
        for (int i = thread_; i < 3 * stage_nodes(); i += threads_) {
            twiddles[i] = arguments_.twiddles[i];
        }
        twiddles_ = twiddles;
        // This thread's term: entry j of the block, output c, leaf.
        const int leaf = cluster_rank() * slice + thread_ % slice;
        const int c = thread_ / slice % arguments_.components;
        const int j = thread_ / slice_terms;
        const unsigned leaf_exponent = arguments_.leaf_exponents[leaf];
        const std::int64_t step_key =
            std::int64_t{arguments_.block} * arguments_.rows * arguments_.components * points_;
        const Complex* own =
            arguments_.key + (std::int64_t{j} * arguments_.rows * arguments_.components + c) * points_ + leaf;
        // An exponent is read a step ahead: the thread's own, or for blocks of one the one that all rotate
        // by.
        const int mine = arguments_.block == 1 ? 0 : j;
        unsigned exponent = mine < arguments_.block ? switched_[mine] : 0;
        cluster_barrier();
        int parity = 0;
        for (int first = 0; first < arguments_.lwe_dimension;
             first += arguments_.block, parity ^= 1, own += step_key) {
            const int block = min(arguments_.block, arguments_.lwe_dimension - first);
            Complex key[most_cluster_rows];
            Complex root{2, 0};
            if (j < block) {
                if (arguments_.block > 1) {
                    root = root_of(arguments_.roots, exponent * leaf_exponent, static_cast<unsigned>(ring_));
                }
#pragma unroll
                for (int r = 0; r < most_cluster_rows; ++r) {
                    if (r < arguments_.rows) key[r] = own[r * arguments_.components * points_];
                }
            }
            const int next = first + arguments_.block + mine;
            const unsigned next_exponent =
                mine < arguments_.block && next < arguments_.lwe_dimension ? switched_[next] : 0;
            products_ = after + parity * arguments_.components * points_;
            if (arguments_.block == 1) {
                first_stage<true>(static_cast<int>(exponent));
            } else {
                first_stage<false>(0);
            }
            exponent = next_exponent;
            __syncthreads();
            forward_stages();
            if (j < block) {
                Complex sum{0, 0};
#pragma unroll
                for (int r = 0; r < most_cluster_rows; ++r) {
                    if (r < arguments_.rows) {
                        sum = multiply_add(sum, spectra_[r * points_ + place(leaf)], key[r]);
                    }
                }
                root.x -= 1.0;
                if (arguments_.block == 1) {
                    give(c, leaf, sum);
                } else {
                    terms[thread_] = multiply(sum, root);
                }
            }
            if (arguments_.block > 1) {
                __syncthreads();
                if (j == 0) {
                    Complex sum = terms[thread_];
                    for (int i = 1; i < block; ++i) sum = add(sum, terms[thread_ + i * slice_terms]);
                    give(c, leaf, sum);
                }
            }
            cluster_barrier();
            inverse_stages();
            last_stage();
            __syncthreads();
        }
        // No block leaves while another may still write to it; one of them has the result to write.
        cluster_barrier();
        if (cluster_rank() == 0) finish();
    }

    /// A product, into every block of the cluster.
    TOROID_DEVICE void give(int c, int leaf, Complex product) {
        for (int rank = 0; rank < arguments_.cluster; ++rank) {
            in_block(products_, rank)[c * points_ + place(leaf)] = product;
        }
    }

    /// Digits of the accumulator, or of (X^power - 1) times it, through the first stage into the rows.
    template <bool rotate>
    TOROID_DEVICE void first_stage(int power) {
        const bool by_two = (points_log() & 1) != 0;
        const int part_log = points_log() - (by_two ? 1 : 2);
        const int part = 1 << part_log;
        const int mask_rows = (arguments_.components - 1) * arguments_.mask.levels;
        for (int task = thread_; task < arguments_.rows * part; task += threads_) {
            const int row = task >> part_log;
            const int j = task & (part - 1);
            const bool body = row >= mask_rows;
            const GadgetFields gadget = body ? arguments_.body : arguments_.mask;
            const int component = body ? arguments_.components - 1 : row * level_reciprocal_ >> 16;
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
                store(out, j, part, split({value(0), value(1), value(2), value(3)}, twiddles_));
            }
        }
    }

    TOROID_DEVICE void forward_stages() {
        const bool by_two = (points_log() & 1) != 0;
        const Complex* twiddles = twiddles_ + (by_two ? 0 : 3);
#pragma unroll
        for (int length_log = points_log() - (by_two ? 1 : 2); length_log > 0; length_log -= 2) {
            const int part = 1 << (length_log - 2);
            for (int task = thread_; task < arguments_.rows * (points_ / 4); task += threads_) {
                const int node = (task & (points_ / 4 - 1)) >> (length_log - 2);
                const int at = (node << length_log) + (task & (part - 1));
                Complex* const row = spectra_ + (task >> (points_log() - 2)) * points_;
                store(row, at, part, split(load(row, at, part), twiddles + 3 * node));
            }
            twiddles += 3 * (points_ >> length_log);
            __syncthreads();
        }
    }

    /// Rows 0...k become sum_j (X^a_j - 1) sum_r row_r BK_j,r (for block 1 without the factor).
    TOROID_DEVICE void multiply_key(int first, int block) {
        // All products of some leaves are made before they are written over the leaves' digits.
        int leaves_log = points_log();
        while (arguments_.components << leaves_log > most_products * threads_) --leaves_log;
        const int tasks = arguments_.components << leaves_log;
        for (int begin = 0; begin < points_; begin += 1 << leaves_log) {
            const auto leaf_of = [&](int task) { return begin + (task & ((1 << leaves_log) - 1)); };
            Complex sums[most_products];
#pragma unroll
            for (int t = 0; t < most_products; ++t) {
                const int task = t * threads_ + thread_;
                if (task < tasks) sums[t] = product(first, block, task >> leaves_log, leaf_of(task));
            }
            __syncthreads();
#pragma unroll
            for (int t = 0; t < most_products; ++t) {
                const int task = t * threads_ + thread_;
                if (task < tasks) spectra_[(task >> leaves_log) * points_ + place(leaf_of(task))] = sums[t];
            }
        }
    }

    TOROID_DEVICE Complex product(int first, int block, int c, int leaf) const {
        Complex sum{0, 0};
        const Complex* const row = spectra_ + place(leaf);
        const std::int64_t row_stride = std::int64_t{arguments_.components} * points_;
        for (int j = 0; j < block; ++j) {
            const Complex* const key = arguments_.key + (first + j) * arguments_.rows * row_stride +
                                       std::int64_t{c} * points_ + leaf;
            Complex terms{0, 0};
            for (int r = 0; r < arguments_.rows; r += rows_at_once) {
                Complex values[rows_at_once];
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i) {
                    if (r + i < arguments_.rows) values[i] = key[(r + i) * row_stride];
                }
#pragma unroll
                for (int i = 0; i < rows_at_once; ++i) {
                    if (r + i < arguments_.rows) {
                        terms = multiply_add(terms, row[(r + i) * points_], values[i]);
                    }
                }
            }
            sum = arguments_.block == 1 ? terms : multiply_add(sum, terms, factor(first + j, leaf));
        }
        return sum;
    }

    /// X^a_i - 1 at a leaf.
    TOROID_DEVICE Complex factor(int i, int leaf) const {
        Complex x =
            root_of(arguments_.roots, static_cast<unsigned>(switched_[i]) * arguments_.leaf_exponents[leaf],
                    static_cast<unsigned>(ring_));
        x.x -= 1.0;
        return x;
    }

    TOROID_DEVICE void inverse_stages() {
        const bool by_two = (points_log() & 1) != 0;
        const Complex* twiddles = twiddles_ + 3 * stage_nodes();
#pragma unroll
        for (int length_log = 2; length_log < points_log() - (by_two ? 0 : 1); length_log += 2) {
            const int part = 1 << (length_log - 2);
            twiddles -= 3 * (points_ >> length_log);
            for (int task = thread_; task < arguments_.components * (points_ / 4); task += threads_) {
                const int node = (task & (points_ / 4 - 1)) >> (length_log - 2);
                const int at = (node << length_log) + (task & (part - 1));
                Complex* const row = products_ + (task >> (points_log() - 2)) * points_;
                store(row, at, part, join(load(row, at, part), twiddles + 3 * node));
            }
            __syncthreads();
        }
    }

    /// Inverse of the first stage; the accumulator gains the rounded result.
    TOROID_DEVICE void last_stage() {
        const bool by_two = (points_log() & 1) != 0;
        const int part_log = points_log() - (by_two ? 1 : 2);
        const int part = 1 << part_log;
        const double scale = 1.0 / points_;
        for (int task = thread_; task < arguments_.components * part; task += threads_) {
            const int component = task >> part_log;
            const int j = task & (part - 1);
            const Complex* const row = products_ + component * points_;
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
                const Butterfly out = join(load(row, j, part), twiddles_);
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
            std::uint32_t* const out = arguments_.accumulators + rotation_ * words;
            for (int i = thread_; i < words; i += threads_) out[i] = accumulator_[i];
        }
        if (arguments_.samples == nullptr) return;
        std::uint32_t* const out = arguments_.samples + rotation_ * arguments_.sample_stride;
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
    TOROID_DEVICE int points_log() const {
        return fixed_log > 0 ? fixed_log : arguments_.points_log;
    }
    /// Nodes of all radix-4 stages: 1 + 4 + ... (or 2 + 8 + ...) up to M / 4.
    TOROID_DEVICE int stage_nodes() const {
        int nodes = 0;
        for (int log = points_log() & 1; log < points_log(); log += 2) nodes += 1 << log;
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
    Complex* products_;
    const Complex* twiddles_;
    int level_reciprocal_;  ///< row / levels = row * this / 2^16
    std::uint32_t* accumulator_;
    std::int64_t rotation_;
    const std::uint16_t* switched_;
    int thread_;
    int threads_;
};

template <int fixed_log>
__global__ void __launch_bounds__(alone_threads)
    general_rotation(const TOROID_GRID_CONSTANT GeneralArguments arguments) {
    extern __shared__ double2 shared_memory[];
    GeneralRotation<false, fixed_log>(arguments, shared_memory).run();
}

template <int fixed_log>
__global__ void __launch_bounds__(general_threads)
    cluster_rotation(const TOROID_GRID_CONSTANT GeneralArguments arguments) {
    extern __shared__ double2 shared_memory[];
    GeneralRotation<true, fixed_log>(arguments, shared_memory).run();
}

auto general_kernel(const RotationSizes& sizes) {
    return sizes.points() == 256   ? general_rotation<8>
           : sizes.points() == 512 ? general_rotation<9>
                                   : general_rotation<0>;
}

auto cluster_kernel(const RotationSizes& sizes) {
    return sizes.points() == 256   ? cluster_rotation<8>
           : sizes.points() == 512 ? cluster_rotation<9>
                                   : cluster_rotation<0>;
}

std::int64_t cluster_shared_bytes(const RotationSizes& sizes, int cluster) {
    const std::int64_t terms = sizes.block > 1 ? sizes.block * sizes.components() : 0;
    // Twiddles: three a node, (M - 1) / 3 nodes or fewer.
    return general_shared_bytes(sizes) +
           ((2 * sizes.components() + 1) * std::int64_t{sizes.points()} + terms * sizes.points() / cluster) *
               16;
}

/// Threads of a block of the cluster: one for each term of the products, and for each butterfly of a stage as
/// far as that goes.
int cluster_threads(const RotationSizes& sizes, int cluster) {
    const int terms = sizes.points() / cluster * sizes.components() * sizes.block;
    const int butterflies = std::min(sizes.rows() * sizes.points() / 4, general_threads);
    return (std::max(terms, butterflies) + 63) / 64 * 64;
}

}  // namespace

std::int64_t general_shared_bytes(const RotationSizes& sizes) {
    return std::int64_t{sizes.rows()} * sizes.points() * 16 +
           std::int64_t{sizes.components()} * sizes.ring_dimension * 4;
}

void prepare_general(const RotationSizes& sizes, int shared_limit) {
    // The device's limit, not the set's need: the kernel is every set's, and the last call would bind them
    // all.
    TOROID_GPU_CHECK(gpuAllowSharedMemory(general_kernel(sizes), shared_limit));
}

void launch_general(const GeneralArguments& arguments, const RotationSizes& sizes, int rotations,
                    gpuStream_t stream) {
    TOROID_GPU_CHECK(gpuLaunchClusters(general_kernel(sizes), rotations, alone_threads,
                                       static_cast<std::size_t>(general_shared_bytes(sizes)), stream, 1,
                                       arguments));
}

int clusters_at_once(const RotationSizes& sizes, int cluster, int shared_limit) {
    const std::int64_t bytes = cluster_shared_bytes(sizes, cluster);
    const int threads = cluster_threads(sizes, cluster);
    if (bytes > shared_limit || threads > general_threads || sizes.rows() > most_cluster_rows) return 0;
    TOROID_GPU_CHECK(gpuAllowSharedMemory(cluster_kernel(sizes), shared_limit));
    return gpuClustersAtOnce(cluster_kernel(sizes), threads, static_cast<std::size_t>(bytes), cluster);
}

void launch_cluster(const GeneralArguments& arguments, const RotationSizes& sizes, int rotations,
                    gpuStream_t stream) {
    TOROID_GPU_CHECK(gpuLaunchClusters(
        cluster_kernel(sizes), rotations * arguments.cluster, cluster_threads(sizes, arguments.cluster),
        static_cast<std::size_t>(cluster_shared_bytes(sizes, arguments.cluster)), stream, arguments.cluster,
        arguments));
}

}  // namespace toroid::backend_gpu
