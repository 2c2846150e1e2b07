// SPDX-License-Identifier: Apache-2.0
// Public circuits through the optimiser: figures, and equivalence by simulation and by ABC's cec.
#include <gtest/gtest.h>

#include <utility>

#include "abc_equivalence.hpp"
#include "circuit/netlist_reader.hpp"
#include "compiler/optimize/circuit_cost.hpp"
#include "compiler/optimize/optimizer.hpp"
#include "compiler/process/child_process.hpp"
#include "compiler/verify/equivalence.hpp"
#include "support/shared_data.hpp"

namespace toroid::compiler {
namespace {

struct Figure {
    const char* file;
    int weight_limit;
    std::uint64_t bootstraps;  ///< at most, refreshes counted
    std::uint32_t depth;
    Objective objective = Objective::size;
    bool is_balanced = false;
};

std::string name_of(const Figure& figure) {
    std::string name = std::string(figure.file).substr(std::string(figure.file).rfind('/') + 1);
    name.resize(name.find('.'));
    return name + "_W" + std::to_string(figure.weight_limit) +
           (figure.objective == Objective::depth ? "_depth"
            : figure.is_balanced                 ? "_balanced"
                                                 : "");
}

CircuitCost optimized_cost(const circuit::Circuit& source, const Figure& figure) {
    OptimizerOptions options;
    options.mapping = {figure.weight_limit, figure.objective};
    options.is_balanced = figure.is_balanced;
    const circuit::Circuit out = optimize(source, options);
    verify_equal(source, out, 1024);
    CircuitCost cost = circuit_cost(out, figure.weight_limit);
    EXPECT_EQ(cost.too_heavy, 0U);
    return cost;
}

class Figures : public testing::TestWithParam<Figure> {};

TEST_P(Figures, AreReached) {
    TOROID_REQUIRE_SHARED_DATA(folder);
    const circuit::Circuit source = circuit::read_netlist(folder / "circuits" / GetParam().file, {});
    const CircuitCost cost = optimized_cost(source, GetParam());
    EXPECT_LE(cost.bootstraps + cost.refreshes, GetParam().bootstraps);
    EXPECT_LE(cost.depth, GetParam().depth);
}

const auto figure_name = [](const auto& info) { return name_of(info.param); };

constexpr Figure small_figures[] = {{"iscas85/bench/c6288.bench", 3, 736, 31},
                                    {"iscas85/bench/c6288.bench", 14, 736, 31},
                                    {"iscas85/bench/c499.bench", 3, 148, 11},
                                    {"epfl/adder.blif", 3, 256, 128},
                                    {"bristol-fashion/adder64.txt", 3, 128, 64}};
INSTANTIATE_TEST_SUITE_P(Small, Figures, testing::ValuesIn(small_figures), figure_name);

constexpr Figure slow_figures[] = {{"epfl/multiplier.blif", 3, 12'300, 133},
                                   {"epfl/multiplier.blif", 14, 9'500, 132},
                                   {"bristol-fashion/aes_128.txt", 3, 25'400, 235},
                                   {"bristol-fashion/aes_128.txt", 3, 31'000, 152, Objective::depth},
                                   {"bristol-fashion/aes_128.txt", 3, 27'000, 190, Objective::size, true},
                                   {"bristol-fashion/aes_128.txt", 14, 19'200, 190},
                                   {"bristol-fashion/aes_128.txt", 14, 20'700, 155, Objective::depth}};
INSTANTIATE_TEST_SUITE_P(Slow, Figures, testing::ValuesIn(slow_figures), figure_name);

class Equivalence : public testing::TestWithParam<const char*> {};

/// ABC proves the optimised circuit equal to the one as it was read.
TEST_P(Equivalence, IsProvenByAbc) {
    TOROID_REQUIRE_SHARED_DATA(folder);
    const auto abc = find_program("berkeley-abc");
    if (!abc) GTEST_SKIP() << "berkeley-abc is not installed";
    const circuit::Circuit source = circuit::read_netlist(folder / "circuits" / GetParam(), {});
    for (const auto& [limit, is_balanced] : {std::pair(3, false), {3, true}, {14, false}}) {
        OptimizerOptions options;
        options.mapping.weight_limit = limit;
        options.is_balanced = is_balanced;
        const circuit::Circuit out = optimize(source, options);
        const tests::EquivalenceCheck check =
            tests::check_equivalence(*abc, source, out, std::chrono::seconds(200));
        EXPECT_FALSE(check.timed_out);
        EXPECT_TRUE(check.is_proven()) << check.text;
    }
}

const auto circuit_name = [](const auto& info) {
    const std::string file = info.param;
    const std::size_t slash = file.rfind('/');
    return file.substr(slash + 1, file.rfind('.') - slash - 1);
};
INSTANTIATE_TEST_SUITE_P(Small, Equivalence,
                         testing::Values("iscas85/bench/c17.bench", "iscas85/bench/c432.bench",
                                         "iscas85/bench/c880.bench", "epfl/ctrl.blif", "epfl/int2float.blif",
                                         "epfl/router.blif"),
                         circuit_name);
INSTANTIATE_TEST_SUITE_P(Slow, Equivalence,
                         testing::Values("iscas85/bench/c1355.bench", "iscas85/bench/c1908.bench",
                                         "iscas85/bench/c2670.bench", "iscas85/bench/c3540.bench",
                                         "iscas85/bench/c499.bench", "iscas85/bench/c5315.bench",
                                         "iscas85/bench/c7552.bench", "epfl/adder.blif", "epfl/bar.blif",
                                         "epfl/cavlc.blif", "epfl/dec.blif", "epfl/i2c.blif", "epfl/max.blif",
                                         "epfl/priority.blif", "epfl/arbiter.blif", "epfl/voter.blif",
                                         "bristol-fashion/adder64.txt", "bristol-fashion/sub64.txt",
                                         "bristol-fashion/zero_equal.txt"),
                         circuit_name);

}  // namespace
}  // namespace toroid::compiler
