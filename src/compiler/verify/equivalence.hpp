// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bit_vector.hpp"
#include "circuit/circuit.hpp"
#include "circuit/interface.hpp"

namespace toroid::compiler {

/// Input vectors of one test: for each vector one value of every input in each cycle, ports in order.
struct TestVectors {
    std::uint32_t vectors = 0;
    std::uint32_t cycles = 1;
    /// [vector][cycle][port]
    std::vector<std::vector<std::vector<base::BitVector>>> inputs;
};

/// Edge values (all 0, all 1, single bits, largest and smallest signed values, equal inputs), then random
/// ones, the same for the same interface and seed. Sequential circuits get some cycles for each vector.
[[nodiscard]] TestVectors make_test_vectors(const circuit::Interface& interface, std::uint32_t vectors,
                                            std::uint64_t seed = 0);

/// The outputs of a circuit: [vector][cycle][port].
using TestOutputs = std::vector<std::vector<std::vector<base::BitVector>>>;
[[nodiscard]] TestOutputs simulate_vectors(const circuit::Circuit& circuit, const TestVectors& vectors,
                                           const std::function<void()>& checkpoint = {});

/// Error(circuit) naming output, cycle and inputs of the first vector on which the two differ. Both must have
/// the same interface.
void verify_equal(const circuit::Circuit& source, const circuit::Circuit& result, std::uint32_t vectors,
                  const std::function<void()>& checkpoint = {});

/// "a = 0x1f, b = 0x03" of one vector, cycles of a sequential circuit in order.
[[nodiscard]] std::string describe_vector(const circuit::Interface& interface,
                                          const std::vector<std::vector<base::BitVector>>& cycles);

}  // namespace toroid::compiler
