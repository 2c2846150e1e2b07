// SPDX-License-Identifier: Apache-2.0
#include "runtime/executor.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "circuit/circuit_builder.hpp"
#include "circuit/interface.hpp"
#include "math/torus.hpp"
#include "runtime/plain_key.hpp"
#include "runtime/random_circuit.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::runtime {
namespace {

using circuit::CircuitBuilder;
using circuit::Literal;
using tests::PlainKey;

/// Trivial samples of all steps, and the inputs that point to them.
struct Inputs {
    std::vector<scheme::LweArray> samples;
    std::vector<PortInput> ports;
};

Inputs as_samples(const circuit::Circuit& circuit, const circuit::Values& values, const PlainKey& key) {
    Inputs inputs;
    for (const circuit::InputPort& port : circuit.inputs) {
        const auto& steps = values.at(port.name);
        scheme::LweArray samples(steps.size() * port.signals.size(), key.parameters().wire_dimension());
        for (std::size_t s = 0; s < steps.size(); ++s) {
            for (std::size_t b = 0; b < port.signals.size(); ++b) {
                samples[s * port.signals.size() + b].back() = math::encode_bit(steps[s][b]);
            }
        }
        inputs.samples.push_back(std::move(samples));
    }
    for (std::size_t p = 0; p < circuit.inputs.size(); ++p) {
        PortInput port;
        port.width = static_cast<std::uint32_t>(circuit.inputs[p].signals.size());
        port.steps = static_cast<std::uint32_t>(values.at(circuit.inputs[p].name).size());
        port.samples = &inputs.samples[p];
        inputs.ports.push_back(port);
    }
    return inputs;
}

circuit::Values as_values(const circuit::Circuit& circuit, const Execution& done) {
    circuit::Values values;
    std::size_t next = 0;
    for (std::uint32_t cycle = 0; cycle < done.kept_cycles; ++cycle) {
        for (const circuit::OutputPort& port : circuit.outputs) {
            base::BitVector bits;
            for (std::size_t b = 0; b < port.bits.size(); ++b) {
                const std::uint32_t phase = done.outputs[next++].back();
                EXPECT_TRUE(phase == math::encode_bit(true) || phase == math::encode_bit(false));
                bits.push_back(math::decode_bit(phase));
            }
            values[port.name].push_back(bits);
        }
    }
    return values;
}

circuit::Values random_values(std::mt19937_64& random, const circuit::Circuit& circuit,
                              std::uint32_t cycles) {
    circuit::Values values;
    for (const circuit::InputPort& port : circuit.inputs) {
        const std::uint32_t steps = random() % 2 == 0 ? 1 : cycles;
        for (std::uint32_t s = 0; s < steps; ++s) {
            base::BitVector bits;
            for (std::size_t b = 0; b < port.signals.size(); ++b) bits.push_back(random() % 2 != 0);
            values[port.name].push_back(bits);
        }
    }
    return values;
}

TEST(Executor, GivesWhatPlainSimulationGives) {
    auto random = tests::generator(2);
    for (int round = 0; round < 60; ++round) {
        const auto registers = static_cast<std::uint32_t>(random() % 8);
        const circuit::Circuit circuit = tests::random_circuit(random, 10, registers, 150);
        const std::uint32_t cycles = 1 + static_cast<std::uint32_t>(random() % 5);
        const circuit::Values values = random_values(random, circuit, cycles);
        const PlainKey key(1 + static_cast<std::uint32_t>(random() % 40));
        const Plan plan = make_plan(circuit, {key.full_batch(), 0});
        const Inputs inputs = as_samples(circuit, values, key);
        const Execution done = execute(plan, key, inputs.ports, {cycles, false, {}});
        ASSERT_EQ(as_values(circuit, done), circuit::simulate(circuit, values, cycles));
        ASSERT_EQ(done.bootstraps, plan.bootstraps * cycles);
    }
}

TEST(Executor, RegistersSwapAtTheSameTime) {
    CircuitBuilder builder("swap");
    const Literal p = builder.add_register("p", true);
    const Literal q = builder.add_register("q", false);
    const Literal inverted = builder.add_register("inverted", false);
    builder.set_next(p, q);
    builder.set_next(q, p);
    builder.set_next(inverted, !inverted);
    builder.add_output("y", {p, q, inverted});
    const circuit::Circuit circuit = builder.finish();
    const PlainKey key;
    const Execution done = execute(make_plan(circuit, {}), key, {}, {4, false, {}});
    const circuit::Values values = as_values(circuit, done);
    const std::vector<base::BitVector> expected{
        {true, false, false}, {false, true, true}, {true, false, false}, {false, true, true}};
    EXPECT_EQ(values.at("y"), expected);
    EXPECT_EQ(done.bootstraps, 0U);
}

TEST(Executor, KeepsOnlyTheLastCycleIfAsked) {
    auto random = tests::generator(3);
    const circuit::Circuit circuit = tests::random_circuit(random, 6, 4, 60);
    const circuit::Values values = random_values(random, circuit, 5);
    const PlainKey key;
    const Inputs inputs = as_samples(circuit, values, key);
    const Execution done = execute(make_plan(circuit, {}), key, inputs.ports, {5, true, {}});
    EXPECT_EQ(done.kept_cycles, 1U);
    const circuit::Values all = circuit::simulate(circuit, values, 5);
    for (const auto& [name, steps] : as_values(circuit, done)) EXPECT_EQ(steps.at(0), all.at(name).back());
}

TEST(Executor, ClearInputsAreTrivialSamples) {
    auto random = tests::generator(4);
    const circuit::Circuit circuit = tests::random_circuit(random, 6, 2, 60);
    const circuit::Values values = random_values(random, circuit, 3);
    const PlainKey key;
    Inputs inputs = as_samples(circuit, values, key);
    inputs.ports[1].samples = nullptr;
    inputs.ports[1].clear = values.at(circuit.inputs[1].name);
    const Execution done = execute(make_plan(circuit, {}), key, inputs.ports, {3, false, {}});
    EXPECT_EQ(as_values(circuit, done), circuit::simulate(circuit, values, 3));
}

TEST(Executor, ReportsProgressAndStopsWhenItThrows) {
    auto random = tests::generator(5);
    const circuit::Circuit circuit = tests::random_circuit(random, 10, 3, 300);
    const PlainKey key(4);
    const Plan plan = make_plan(circuit, {4, 0});
    const Inputs inputs = as_samples(circuit, random_values(random, circuit, 2), key);
    std::vector<std::uint64_t> seen;
    ExecutionOptions options{2, false, [&](std::uint64_t done, std::uint64_t total) {
                                 EXPECT_EQ(total, 2 * plan.bootstraps);
                                 seen.push_back(done);
                             }};
    (void)execute(plan, key, inputs.ports, options);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_EQ(seen.front(), 0U);
    EXPECT_EQ(seen.back(), 2 * plan.bootstraps);
    EXPECT_LE(key.largest_batch, 32U);

    seen.clear();
    options.progress = [&](std::uint64_t done, std::uint64_t) {
        seen.push_back(done);
        if (done > 20) throw Error(ErrorKind::interrupted, "enough");
    };
    EXPECT_THROW((void)execute(plan, key, inputs.ports, options), Error);
    EXPECT_LT(seen.back(), 60U);
}

TEST(Executor, RefusesInputsOfAnotherShape) {
    auto random = tests::generator(6);
    const circuit::Circuit circuit = tests::random_circuit(random, 6, 0, 20);
    const PlainKey key;
    const circuit::Values values = random_values(random, circuit, 1);
    Inputs inputs = as_samples(circuit, values, key);
    const Plan plan = make_plan(circuit, {});
    const auto kind_of = [&](const std::vector<PortInput>& ports, std::uint32_t cycles) {
        try {
            (void)execute(plan, key, ports, {cycles, false, {}});
        } catch (const Error& error) {
            return error.kind();
        }
        ADD_FAILURE() << "accepted";
        return ErrorKind::internal;
    };
    std::vector<PortInput> ports = inputs.ports;
    EXPECT_EQ(kind_of(ports, 0), ErrorKind::usage);
    ports[0].steps = 2;
    EXPECT_EQ(kind_of(ports, 3), ErrorKind::value);
    ports = inputs.ports;
    ports[0].width += 1;
    EXPECT_EQ(kind_of(ports, 1), ErrorKind::internal);
    ports.pop_back();
    ports[0] = inputs.ports[0];
    EXPECT_EQ(kind_of(ports, 1), ErrorKind::internal);
}

}  // namespace
}  // namespace toroid::runtime
