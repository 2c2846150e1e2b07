// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "backend_cpu/batch_split.hpp"
#include "support/seed.hpp"

namespace toroid::tests {
namespace {

using backend_cpu::GateGroup;
using backend_cpu::GroupLimits;
using backend_cpu::split_batch;
using base::GateForm;
using base::GateRecord;

std::vector<GateRecord> gates(std::size_t count, GateForm form = GateForm::bootstrap) {
    GateRecord gate;
    gate.form = form;
    return std::vector<GateRecord>(count, gate);
}

std::vector<std::size_t> sizes(std::size_t bootstraps, const GroupLimits& limits) {
    std::vector<std::size_t> out;
    for (const GateGroup& group : split_batch(gates(bootstraps), limits)) out.push_back(group.bootstraps);
    return out;
}

TEST(BatchSplit, FullGroupsThenEqualShares) {
    const GroupLimits limits{.threads = 2, .lanes = 4, .most = 8};
    EXPECT_THAT(sizes(0, limits), testing::IsEmpty());
    EXPECT_THAT(sizes(1, limits), testing::ElementsAre(1));
    EXPECT_THAT(sizes(6, limits), testing::ElementsAre(3, 3));
    EXPECT_THAT(sizes(8, limits), testing::ElementsAre(4, 4));
    EXPECT_THAT(sizes(10, limits), testing::ElementsAre(8, 2));
    EXPECT_THAT(sizes(16, limits), testing::ElementsAre(8, 8));
    EXPECT_THAT(sizes(40, limits), testing::ElementsAre(8, 8, 8, 8, 4, 4));
}

TEST(BatchSplit, APairIsNeverCut) {
    const GroupLimits limits{.threads = 1, .lanes = 2, .most = 2};
    for (const GateGroup& group : split_batch(gates(5, GateForm::pair), limits))
        EXPECT_EQ(group.bootstraps, 2U);
    // Seven single gates before a pair would fill the group but for one place.
    std::vector<GateRecord> mixed = gates(7);
    mixed.push_back(gates(1, GateForm::pair)[0]);
    const auto groups = split_batch(mixed, {.threads = 1, .lanes = 4, .most = 8});
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].bootstraps, 7U);
    EXPECT_EQ(groups[1].bootstraps, 2U);
}

TEST(BatchSplit, EveryGateIsInOneGroupInOrder) {
    auto random = generator(31);
    for (int repeat = 0; repeat < 200; ++repeat) {
        std::vector<GateRecord> mixed(random() % 60);
        for (GateRecord& gate : mixed) gate.form = static_cast<GateForm>(random() % 3);
        const GroupLimits limits{.threads = 1 + random() % 5, .lanes = 4, .most = 8};
        std::size_t gate = 0;
        std::size_t bootstrap = 0;
        for (const GateGroup& group : split_batch(mixed, limits)) {
            EXPECT_EQ(group.first_gate, gate);
            EXPECT_EQ(group.first_bootstrap, bootstrap);
            EXPECT_LE(group.bootstraps, limits.most);
            EXPECT_GT(group.gates, 0U);
            std::size_t own = 0;
            for (std::size_t i = 0; i < group.gates; ++i) {
                own += static_cast<std::size_t>(mixed[gate + i].bootstraps());
            }
            EXPECT_EQ(group.bootstraps, own);
            gate += group.gates;
            bootstrap += group.bootstraps;
        }
        EXPECT_EQ(gate, mixed.size());
    }
}

}  // namespace
}  // namespace toroid::tests
