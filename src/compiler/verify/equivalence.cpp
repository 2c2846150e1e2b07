// SPDX-License-Identifier: Apache-2.0
#include "compiler/verify/equivalence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "circuit/simulator.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::uint32_t cycles_of_a_sequential_vector = 8;
constexpr std::uint32_t word_bits = 64;

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014):
/// test vectors need to be the same everywhere, nothing more.
class VectorSource {
 public:
    explicit VectorSource(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
        return z ^ z >> 31;
    }

 private:
    std::uint64_t state_;
};

base::BitVector random_bits(std::uint32_t width, VectorSource& source) {
    base::BitVector bits(width);
    std::uint64_t word = 0;
    for (std::uint32_t i = 0; i < width; ++i) {
        if (i % word_bits == 0) word = source.next();
        bits[i] = (word >> (i % word_bits) & 1) != 0;
    }
    return bits;
}

/// Values at which arithmetic goes wrong: 0, -1, 1, the most negative, the largest, one bit, a small number.
base::BitVector edge_bits(std::uint32_t width, std::uint64_t kind, VectorSource& source) {
    base::BitVector bits(width, false);
    switch (kind % 8) {
        case 0:
            break;
        case 1:
            bits.assign(width, true);
            break;
        case 2:
            bits[0] = true;
            break;
        case 3:
            bits[width - 1] = true;
            break;
        case 4:
            bits.assign(width, true);
            bits[width - 1] = false;
            break;
        case 5:
            bits[source.next() % width] = true;
            break;
        case 6:
            for (std::uint32_t i = 0; i < std::min(width, 4U); ++i) bits[i] = (source.next() & 1) != 0;
            break;
        default:
            bits = random_bits(width, source);
            break;
    }
    return bits;
}

std::string differing_output(const circuit::Circuit& circuit, std::size_t bit) {
    for (const circuit::OutputPort& port : circuit.outputs) {
        if (bit < port.bits.size()) {
            return port.bits.size() == 1 ? port.name : fmt::format("{}[{}]", port.name, bit);
        }
        bit -= port.bits.size();
    }
    return "an output";
}

/// The words of 64 vectors at one cycle, from vector `first` on.
std::vector<std::uint64_t> input_words(const TestVectors& vectors, std::uint32_t first, std::uint32_t cycle) {
    std::vector<std::uint64_t> words;
    const std::uint32_t count = std::min(word_bits, vectors.vectors - first);
    for (std::uint32_t v = 0; v < count; ++v) {
        std::size_t at = 0;
        for (const base::BitVector& bits : vectors.inputs[first + v][cycle]) {
            for (std::size_t i = 0; i < bits.size(); ++i, ++at) {
                if (words.size() <= at) words.push_back(0);
                if (bits[i]) words[at] |= std::uint64_t{1} << v;
            }
        }
    }
    return words;
}

}  // namespace

TestVectors make_test_vectors(const circuit::Interface& interface, std::uint32_t vectors,
                              std::uint64_t seed) {
    constexpr std::uint32_t uniform_edges = 5;  // every input at the same edge
    TestVectors out;
    out.vectors = vectors;
    out.cycles = interface.is_sequential ? cycles_of_a_sequential_vector : 1;
    VectorSource source(seed ^ 0x746f726f69642121ULL);
    for (std::uint32_t v = 0; v < vectors; ++v) {
        std::vector<std::vector<base::BitVector>> cycles;
        for (std::uint32_t cycle = 0; cycle < out.cycles; ++cycle) {
            std::vector<base::BitVector> ports;
            for (const circuit::Interface::Port& port : interface.inputs) {
                if (v < uniform_edges) {
                    ports.push_back(edge_bits(port.width, v + cycle, source));
                } else if (v % 4 == 1) {
                    ports.push_back(edge_bits(port.width, source.next() >> 3, source));
                } else if (v % 8 == 3 && !ports.empty() && ports.back().size() == port.width) {
                    ports.push_back(ports.back());
                } else {
                    ports.push_back(random_bits(port.width, source));
                }
            }
            cycles.push_back(std::move(ports));
        }
        out.inputs.push_back(std::move(cycles));
    }
    return out;
}

TestOutputs simulate_vectors(const circuit::Circuit& circuit, const TestVectors& vectors,
                             const std::function<void()>& checkpoint) {
    TestOutputs out(vectors.vectors);
    circuit::Simulator simulator(circuit);
    for (std::uint32_t first = 0; first < vectors.vectors; first += word_bits) {
        simulator.reset();
        const std::uint32_t count = std::min(word_bits, vectors.vectors - first);
        for (std::uint32_t cycle = 0; cycle < vectors.cycles; ++cycle) {
            if (checkpoint) checkpoint();
            const std::vector<std::uint64_t> words = simulator.step(input_words(vectors, first, cycle));
            for (std::uint32_t v = 0; v < count; ++v) {
                std::size_t at = 0;
                std::vector<base::BitVector> ports;
                for (const circuit::OutputPort& port : circuit.outputs) {
                    base::BitVector bits(port.bits.size());
                    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = (words[at++] >> v & 1) != 0;
                    ports.push_back(std::move(bits));
                }
                out[first + v].push_back(std::move(ports));
            }
        }
    }
    return out;
}

std::string describe_vector(const circuit::Interface& interface,
                            const std::vector<std::vector<base::BitVector>>& cycles) {
    constexpr std::size_t most_ports = 16;
    std::string text;
    for (std::size_t p = 0; p < interface.inputs.size(); ++p) {
        if (p == most_ports) return text + fmt::format(" and {} more inputs", interface.inputs.size() - p);
        text += fmt::format("{}{}=", text.empty() ? "" : " ", interface.inputs[p].name);
        for (std::size_t cycle = 0; cycle < cycles.size(); ++cycle) {
            text += (cycle == 0 ? "" : ",") + base::format_hex(cycles[cycle][p]);
        }
    }
    return text;
}

void verify_equal(const circuit::Circuit& source, const circuit::Circuit& result, std::uint32_t vectors,
                  const std::function<void()>& checkpoint) {
    const circuit::Interface interface = circuit::interface_of(source);
    if (interface.fingerprint() != circuit::interface_of(result).fingerprint()) {
        throw Error(ErrorKind::internal,
                    fmt::format("circuit {}: optimisation changed its interface", source.name));
    }
    const TestVectors tests = make_test_vectors(interface, vectors);
    circuit::Simulator before(source);
    circuit::Simulator after(result);
    for (std::uint32_t first = 0; first < vectors; first += word_bits) {
        before.reset();
        after.reset();
        const std::uint32_t count = std::min(word_bits, vectors - first);
        for (std::uint32_t cycle = 0; cycle < tests.cycles; ++cycle) {
            if (checkpoint) checkpoint();
            const std::vector<std::uint64_t> words = input_words(tests, first, cycle);
            const std::vector<std::uint64_t> expected = before.step(words);
            const std::vector<std::uint64_t> found = after.step(words);
            for (std::size_t bit = 0; bit < expected.size(); ++bit) {
                const std::uint64_t differ = expected[bit] ^ found[bit];
                for (std::uint32_t v = 0; v < count; ++v) {
                    if ((differ >> v & 1) == 0) continue;
                    throw Error(
                        ErrorKind::circuit,
                        fmt::format(
                            "circuit {}: verification failed: output {} is {} in cycle {}, the source "
                            "says {}, for {}",
                            source.name, differing_output(source, bit), found[bit] >> v & 1, cycle,
                            expected[bit] >> v & 1, describe_vector(interface, tests.inputs[first + v])));
                }
            }
        }
    }
}

}  // namespace toroid::compiler
