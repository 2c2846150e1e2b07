// SPDX-License-Identifier: Apache-2.0
#include "backend/batch_assignment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

using Slots = std::vector<std::uint32_t>;

/// Gates with weights 1, in the order they are added.
struct Gates {
    std::vector<base::GateRecord> records;
    std::vector<base::Operand> operands;

    void add(base::GateForm form, std::uint32_t output, const Slots& reads) {
        base::GateRecord gate;
        gate.form = form;
        gate.output = output;
        gate.first_operand = static_cast<std::uint32_t>(operands.size());
        gate.operands_a = static_cast<std::uint16_t>(reads.size());
        for (const std::uint32_t slot : reads) operands.push_back({slot, 1});
        records.push_back(gate);
    }
    [[nodiscard]] GateBatch batch() const { return {records, operands}; }
};

/// Bootstraps over the operands 2 i and 2 i + 1.
Gates wide(std::uint32_t gates) {
    Gates out;
    for (std::uint32_t i = 0; i < gates; ++i)
        out.add(base::GateForm::bootstrap, 2 * gates + i, {2 * i, 2 * i + 1});
    return out;
}

std::size_t transferred(const BatchAssignment& assignment) {
    std::size_t count = 0;
    for (const Transfer& transfer : assignment.transfers) count += transfer.slots.size();
    return count;
}

TEST(BatchAssignment, AWideBatchIsSharedEvenlyAndWithoutCopies) {
    const Gates gates = wide(8448);
    SlotOwnership ownership(3 * 8448, 2);
    const std::vector<std::uint32_t> full{1056, 1056};
    const BatchAssignment new_slots = assign_batch(gates.batch(), ownership, full);
    EXPECT_EQ(new_slots.bootstraps, (std::vector<std::uint64_t>{4224, 4224}));
    EXPECT_TRUE(new_slots.transfers.empty()) << "new slots are everywhere";

    // Even and odd gates' operands on one device each: the gates follow.
    for (std::uint32_t i = 0; i < 8448; ++i) {
        ownership.written(2 * i, i % 2);
        ownership.written(2 * i + 1, i % 2);
    }
    const BatchAssignment placed = assign_batch(gates.batch(), ownership, full);
    EXPECT_EQ(placed.bootstraps, (std::vector<std::uint64_t>{4224, 4224}));
    EXPECT_TRUE(placed.transfers.empty());
    for (std::size_t i = 0; i < placed.device.size(); ++i) ASSERT_EQ(placed.device[i], i % 2);
}

TEST(BatchAssignment, BalanceGoesBeforePlaceAndEachSlotTravelsOnce) {
    Gates gates;
    for (std::uint32_t i = 0; i < 40; ++i)
        gates.add(base::GateForm::bootstrap, 100 + i, {i, (i + 1) % 40, 50});
    SlotOwnership ownership(200, 2);
    for (std::uint32_t slot = 0; slot < 200; ++slot) ownership.written(slot, 1);
    const BatchAssignment assignment =
        assign_batch(gates.batch(), ownership, std::vector<std::uint32_t>{4, 4});
    EXPECT_EQ(assignment.bootstraps, (std::vector<std::uint64_t>{20, 20}));
    ASSERT_EQ(assignment.transfers.size(), 1U);
    const Transfer& transfer = assignment.transfers.front();
    EXPECT_EQ(transfer.from, 1U);
    EXPECT_EQ(transfer.to, 0U);
    const std::set<std::uint32_t> distinct(transfer.slots.begin(), transfer.slots.end());
    EXPECT_EQ(distinct.size(), transfer.slots.size());
    // Neighbours stay together: 20 gates in a row read 21 of the ring and the common slot.
    EXPECT_EQ(transfer.slots.size(), 22U);
    for (const std::uint32_t slot : transfer.slots) {
        EXPECT_TRUE(ownership.holds(0, slot));
        EXPECT_TRUE(ownership.holds(1, slot));
        EXPECT_EQ(ownership.source(slot), 1U);
    }
}

TEST(BatchAssignment, ASmallBatchStaysWhereItsOperandsAre) {
    const Gates gates = wide(100);
    const std::vector<std::uint32_t> full{1056, 1056, 1056};
    SlotOwnership ownership(300, 3);
    for (std::uint32_t slot = 0; slot < 300; ++slot) ownership.written(slot, slot < 120 ? 2 : 1);
    const BatchAssignment assignment = assign_batch(gates.batch(), ownership, full);
    EXPECT_EQ(assignment.bootstraps, (std::vector<std::uint64_t>{0, 0, 100}));
    EXPECT_EQ(transferred(assignment), 80U);
}

TEST(BatchAssignment, NoDeviceGetsLessThanAQuarterOfItsFullBatch) {
    const std::vector<std::uint32_t> full{1056, 1056, 1056, 1056};
    for (const std::uint32_t gates : {1U, 263U, 264U, 527U, 528U, 791U, 792U, 1055U, 1056U, 9000U}) {
        const Gates batch = wide(gates);
        SlotOwnership ownership(3 * gates, 4);
        const BatchAssignment assignment = assign_batch(batch.batch(), ownership, full);
        const auto used = 4 - std::ranges::count(assignment.bootstraps, std::uint64_t{0});
        EXPECT_EQ(used, std::clamp<std::ptrdiff_t>(gates / 264, 1, 4)) << gates;
        for (const std::uint64_t share : assignment.bootstraps) {
            if (share > 0 && used > 1) {
                EXPECT_GE(share, 262U) << gates;
            }
        }
    }
}

TEST(BatchAssignment, AChosenLeastShareDividesSmallBatches) {
    const std::vector<std::uint32_t> full{1056, 1056, 1056};
    for (const auto& [gates, least, devices] :
         std::vector<std::array<std::uint32_t, 3>>{{2, 1, 2}, {7, 1, 3}, {7, 3, 2}, {5, 3, 1}}) {
        const Gates batch = wide(gates);
        SlotOwnership ownership(3 * gates, 3);
        const BatchAssignment assignment = assign_batch(batch.batch(), ownership, full, least);
        EXPECT_EQ(3 - std::ranges::count(assignment.bootstraps, std::uint64_t{0}), devices) << gates;
    }
}

TEST(BatchAssignment, SharesFollowTheFullBatches) {
    const Gates gates = wide(3000);
    SlotOwnership ownership(9000, 2);
    const BatchAssignment assignment =
        assign_batch(gates.batch(), ownership, std::vector<std::uint32_t>{1000, 500});
    EXPECT_EQ(assignment.bootstraps, (std::vector<std::uint64_t>{2000, 1000}));
}

TEST(BatchAssignment, APairCountsTwoAndLinearGatesFollowTheirOperands) {
    Gates gates;
    for (std::uint32_t i = 0; i < 10; ++i) gates.add(base::GateForm::pair, 20 + i, {i});
    for (std::uint32_t i = 0; i < 20; ++i) gates.add(base::GateForm::bootstrap, 40 + i, {i});
    for (std::uint32_t i = 0; i < 30; ++i) gates.add(base::GateForm::linear, 60 + i, {10});
    SlotOwnership ownership(100, 2);
    for (std::uint32_t slot = 0; slot < 100; ++slot) ownership.written(slot, slot == 10 ? 1 : 0);
    const BatchAssignment assignment =
        assign_batch(gates.batch(), ownership, std::vector<std::uint32_t>{2, 2});
    EXPECT_EQ(assignment.bootstraps, (std::vector<std::uint64_t>{20, 20}));
    // Slot 10 may have gone to device 0 for a bootstrap, but device 1 has it at no cost.
    for (std::size_t i = 30; i < 60; ++i) EXPECT_TRUE(ownership.holds(assignment.device[i], 10));
    EXPECT_LE(transferred(assignment), 21U);
}

/// Random batches: every gate finds its operands, shares are even, copies come from the source.
TEST(BatchAssignment, RandomBatchesKeepTheRules) {
    auto random = tests::generator(31);
    for (int round = 0; round < 300; ++round) {
        const auto devices = static_cast<unsigned>(1 + random() % 5);
        const std::uint32_t slots = 40;
        SlotOwnership ownership(slots, devices);
        for (std::uint32_t slot = 0; slot < slots; ++slot) {
            if (random() % 4 != 0) ownership.written(slot, static_cast<unsigned>(random() % devices));
            if (random() % 4 == 0) ownership.copied(slot, static_cast<unsigned>(random() % devices));
        }
        SlotOwnership after = ownership;
        Gates gates;
        for (std::uint32_t i = 0; i < random() % 30; ++i) {
            Slots reads(random() % 4);
            for (std::uint32_t& slot : reads) slot = static_cast<std::uint32_t>(random() % slots);
            gates.add(static_cast<base::GateForm>(random() % 3), i, reads);
        }
        const std::vector<std::uint32_t> full(devices, static_cast<std::uint32_t>(1 + random() % 8));
        const BatchAssignment assignment = assign_batch(gates.batch(), after, full);
        std::vector<std::uint64_t> bootstraps(devices);
        for (std::size_t i = 0; i < gates.records.size(); ++i) {
            const unsigned device = assignment.device[i];
            ASSERT_LT(device, devices);
            bootstraps[device] += static_cast<std::uint64_t>(gates.records[i].bootstraps());
            for (const base::Operand& operand : gates.records[i].term_a(gates.operands))
                EXPECT_TRUE(after.holds(device, operand.index));
        }
        EXPECT_EQ(bootstraps, assignment.bootstraps);
        std::vector<std::uint64_t> working;
        std::ranges::copy_if(bootstraps, std::back_inserter(working), [](auto share) { return share > 0; });
        if (!working.empty()) {
            EXPECT_LE(std::ranges::max(working) - std::ranges::min(working), devices + 1U);
        }
        for (const Transfer& transfer : assignment.transfers) {
            for (const std::uint32_t slot : transfer.slots) {
                EXPECT_EQ(ownership.source(slot), transfer.from);
                EXPECT_FALSE(ownership.holds(transfer.to, slot));
                EXPECT_TRUE(after.holds(transfer.to, slot));
            }
        }
    }
}

TEST(SlotOwnership, WritersCopiesAndLosses) {
    SlotOwnership ownership(2, 64);
    EXPECT_TRUE(ownership.holds(63, 1));
    ownership.written(1, 63);
    EXPECT_FALSE(ownership.holds(0, 1));
    EXPECT_EQ(ownership.source(1), 63U);
    ownership.copied(1, 5);
    EXPECT_TRUE(ownership.holds(5, 1));
    EXPECT_EQ(ownership.source(1), 63U);
    ownership.copies_lost(1);
    EXPECT_FALSE(ownership.holds(5, 1));
    EXPECT_TRUE(ownership.holds(63, 1));
    ownership.written_everywhere(1);
    EXPECT_TRUE(ownership.holds(5, 1));
    EXPECT_THROW(SlotOwnership(1, 0), Error);
    EXPECT_THROW(SlotOwnership(1, 65), Error);
}

}  // namespace
}  // namespace toroid::backend
