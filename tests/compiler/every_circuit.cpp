// SPDX-License-Identifier: Apache-2.0
// Every public netlist through the optimiser. ABC's cec proves the result equal to the netlist as it was read
// where it comes to an end; elsewhere many random vectors must do, and the line of the circuit says so.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>

#include "abc_equivalence.hpp"
#include "circuit/netlist_reader.hpp"
#include "compiler/optimize/circuit_cost.hpp"
#include "compiler/optimize/optimizer.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/verify/equivalence.hpp"
#include "support/shared_data.hpp"

namespace toroid::compiler {
namespace {

constexpr int weight_limit = 3;
constexpr std::uint32_t vectors_beside_a_proof = 1024;
constexpr std::uint32_t vectors_without_a_proof = 16384;
constexpr std::chrono::seconds proof_limit{60};

std::vector<std::string> netlists() {
    const auto folder = toroid::tests::shared_data();
    std::vector<std::string> files;
    if (!folder) return files;
    constexpr const char* folders[] = {"bristol-fashion", "bristol-motion", "bristol-old",
                                       "bristol-scale",   "epfl",           "iscas85/bench",
                                       "iscas89/bench",   "iscas89/blif",   "yosys-json"};
    for (const char* part : folders) {
        for (const auto& entry : std::filesystem::directory_iterator(*folder / "circuits" / part))
            files.push_back(std::string(part) + "/" + entry.path().filename().string());
    }
    std::ranges::sort(files);
    return files;
}

/// The largest resident memory of this process alone since the last call, in MiB.
double peak_memory() {
    std::ifstream status("/proc/self/status");
    double kib = 0;
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) kib = std::stod(line.substr(6));
    }
    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5";
    return kib / 1024;
}

/// User time of this process and the programs it has called.
double seconds_used() {
    double seconds = 0;
    for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage usage{};
        getrusage(who, &usage);
        seconds +=
            static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
    }
    return seconds;
}

enum class Proof : std::uint8_t { equal, different, none };

Proof prove(const circuit::Circuit& source, const circuit::Circuit& result) {
    const auto abc = find_program("berkeley-abc");
    if (!abc) return Proof::none;
    const tests::EquivalenceCheck check = tests::check_equivalence(*abc, source, result, proof_limit);
    if (check.timed_out) return Proof::none;
    if (check.is_proven()) return Proof::equal;
    return check.says("NOT EQUIVALENT") ? Proof::different : Proof::none;
}

class EveryCircuit : public testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(EveryCircuit);

TEST_P(EveryCircuit, KeepsItsFunction) {
    TOROID_REQUIRE_SHARED_DATA(folder);
    const circuit::Circuit source = circuit::read_netlist(folder / "circuits" / GetParam(), {});
    (void)peak_memory();
    const double start = seconds_used();
    OptimizerOptions options;
    options.mapping = {weight_limit, Objective::size};
    const circuit::Circuit result = optimize(source, options);
    const double seconds = seconds_used() - start;
    const double memory = peak_memory();

    const CircuitCost before = circuit_cost(source, weight_limit);
    const CircuitCost after = circuit_cost(result, weight_limit);
    EXPECT_EQ(after.too_heavy, 0U);
    if (before.too_heavy == 0) {
        EXPECT_LE(after.bootstraps + after.refreshes, before.bootstraps + before.refreshes);
    }
    const Proof proof = prove(source, result);
    EXPECT_NE(proof, Proof::different);
    const std::uint32_t vectors = proof == Proof::equal ? vectors_beside_a_proof : vectors_without_a_proof;
    verify_equal(source, result, vectors);
    fmt::print("| {} | {} / {} | {} / {} | {:.1f} | {:.0f} | {} |\n", GetParam(), before.bootstraps,
               before.depth, after.bootstraps, after.depth, seconds, memory,
               proof == Proof::equal ? "proven" : fmt::format("{} vectors", vectors));
    std::fflush(stdout);
}

INSTANTIATE_TEST_SUITE_P(All, EveryCircuit, testing::ValuesIn(netlists()), [](const auto& info) {
    std::string name = info.param;
    std::ranges::replace_if(
        name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return name;
});

}  // namespace
}  // namespace toroid::compiler
