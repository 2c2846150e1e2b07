// SPDX-License-Identifier: Apache-2.0
// Whole public circuits on encrypted data, on the CPU, under the default parameter set.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

#include "support/seed.hpp"
#include "support/shared_data.hpp"
#include "toroid/toroid.hpp"

namespace toroid {
namespace {

class EncryptedCircuits : public testing::Test {
 protected:
    struct Keys {
        SecretKey secret = SecretKey::generate(ParameterSet::named("tfhe128"));
        Evaluator evaluator{secret.make_evaluation_key(), {"cpu", 0}};
    };
    static void TearDownTestSuite() { keys_.reset(); }
    static Keys& keys() {
        if (!keys_) keys_ = std::make_unique<Keys>();
        return *keys_;
    }

    /// Encrypts, runs, decrypts; the report must show every bootstrap of the circuit.
    static Values run(const Circuit& circuit, const Values& inputs) {
        const Ciphertexts in = keys().secret.encrypt(circuit.interface(), inputs);
        const RunResult result = keys().evaluator.run(circuit, in);
        std::printf("%s\n", result.report.to_text().c_str());
        EXPECT_EQ(result.report.bootstraps_done, circuit.figures().bootstraps);
        EXPECT_EQ(result.report.bootstraps_in_circuit, circuit.figures().bootstraps);
        EXPECT_THAT(result.report.device, testing::StartsWith("cpu"));
        last_report_ = result.report;
        return keys().secret.decrypt(result.outputs);
    }
    static Values random_inputs(const Circuit& circuit, std::mt19937_64& random) {
        Values values;
        for (const Port& port : circuit.interface().inputs()) {
            Bits bits;
            for (std::uint32_t b = 0; b < port.width; ++b) bits.push_back(random() % 2 != 0);
            values[port.name] = {bits};
        }
        return values;
    }
    static void expect_matches_simulation(const std::filesystem::path& file) {
        auto random = tests::generator(7);
        const Circuit circuit = Circuit::read(file);
        const Values inputs = random_inputs(circuit, random);
        EXPECT_EQ(run(circuit, inputs), circuit.simulate(inputs));
    }

    static std::unique_ptr<Keys> keys_;
    static RunReport last_report_;
};
std::unique_ptr<EncryptedCircuits::Keys> EncryptedCircuits::keys_;
RunReport EncryptedCircuits::last_report_;

TEST_F(EncryptedCircuits, Adder64) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Circuit circuit = Circuit::read(shared / "circuits/bristol-fashion/adder64.txt");
    const auto& in = circuit.interface().inputs();
    const auto& out = circuit.interface().outputs();
    ASSERT_EQ(in.size(), 2U);
    ASSERT_EQ(out.size(), 1U);
    const Values sum =
        run(circuit, parse_values({in[0].name + "=0xfedcba9876543210", in[1].name + "=0x0fedcba987654321"},
                                  in, Missing::refuse));
    EXPECT_EQ(to_hex(sum.at(out[0].name).at(0)), "0x0eca8641fdb97531");
}

TEST_F(EncryptedCircuits, ZeroEqual) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Circuit circuit = Circuit::read(shared / "circuits/bristol-fashion/zero_equal.txt");
    const std::string in = circuit.interface().inputs().at(0).name;
    const std::string out = circuit.interface().outputs().at(0).name;
    const auto answer = [&](const std::string& value) -> bool {  // not a reference into the vector
        return run(circuit, parse_values({in + "=" + value}, circuit.interface().inputs(), Missing::refuse))
            .at(out)
            .at(0)
            .at(0);
    };
    EXPECT_TRUE(answer("0"));
    EXPECT_FALSE(answer("0x8000000000000000"));
    EXPECT_FALSE(answer("1"));
}

TEST_F(EncryptedCircuits, Iscas85InterruptController) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    expect_matches_simulation(shared / "circuits/iscas85/bench/c432.bench");
}

/// A hexadecimal string of bytes, first byte first, as the value of a port whose most significant byte is the
/// first.
std::string block(const std::string& bytes) {
    return "0x" + bytes;
}

TEST_F(EncryptedCircuits, Aes128BlockOfFips197) {
    TOROID_REQUIRE_SHARED_DATA(shared);
    const Circuit circuit = Circuit::read(shared / "circuits/bristol-fashion/aes_128.txt");
    const auto& in = circuit.interface().inputs();
    ASSERT_EQ(in.size(), 2U);
    ASSERT_EQ(in[0].width, 128U);
    // FIPS-197, appendix B and C.1; key first, then plaintext, in this circuit.
    const Values out =
        run(circuit, parse_values({in[0].name + "=" + block("000102030405060708090a0b0c0d0e0f"),
                                   in[1].name + "=" + block("00112233445566778899aabbccddeeff")},
                                  in, Missing::refuse));
    EXPECT_EQ(to_hex(out.at(circuit.interface().outputs().at(0).name).at(0)),
              block("69c4e0d86a7b0430d8cdb78070b4c55a"));
    // Memory follows the live width, not the 36,663 gates.
    EXPECT_LT(last_report_.pool_bytes, 50U << 20);
    EXPECT_LT(last_report_.peak_memory_bytes - last_report_.key_bytes, 300U << 20);
}

}  // namespace
}  // namespace toroid
