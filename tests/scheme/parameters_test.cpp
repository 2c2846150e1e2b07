// SPDX-License-Identifier: Apache-2.0
#include "scheme/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <vector>

#include "scheme/parameter_table.hpp"
#include "scheme/parameters_check.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// A sound set that is none of the named ones.
ParametersLiteral own_set() {
    ParametersLiteral literal = named_parameters("tfhe128").literal();
    literal.name = "own";
    literal.lwe.dimension = 660;
    literal.security.clear();
    return literal;
}

std::string refusal_of(const ParametersLiteral& literal) {
    try {
        const Parameters made{literal};
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::parameters);
        return error.what();
    }
    return "accepted";
}

TEST(Parameters, AccessorsFollowTheLiteral) {
    const Parameters& set = named_parameters("tfhe128");
    EXPECT_EQ(set.n(), 652);
    EXPECT_EQ(set.N(), 512);
    EXPECT_EQ(set.k(), 2);
    EXPECT_EQ(set.rows(), 2 * 2 + 2);
    EXPECT_EQ(set.extracted_dimension(), 1024);
    EXPECT_EQ(set.wire_dimension(), 1024);
    EXPECT_EQ(set.rotation_log(), 10);
    EXPECT_EQ(set.switched_modulus_log(), 16);
    EXPECT_EQ(set.lwe_key_mean(), (math::KeyMean{1, 2}));
    EXPECT_EQ(set.glwe_key_mean(), (math::KeyMean{0, 1}));
    const Parameters& block = named_parameters("tfhe128-fast");
    EXPECT_EQ(block.block(), 3);
    EXPECT_EQ(block.lwe_key_mean(), (math::KeyMean{1, 4}));
    const Parameters& reverse = named_parameters("tfhers-default");
    EXPECT_EQ(reverse.wire_dimension(), 805);
    EXPECT_EQ(reverse.switched_modulus_log(), 32);
    EXPECT_EQ(reverse.glwe_key_mean(), (math::KeyMean{1, 2}));
    EXPECT_EQ(named_parameters("tfhepp-128bit").rotation_log(), 11);
}

TEST(Parameters, NamedSetsAreListedDefaultFirst) {
    EXPECT_EQ(named_parameters().front().name(), "tfhe128");
    std::set<std::string> names;
    std::set<base::Fingerprint> fingerprints;
    for (const Parameters& set : named_parameters()) {
        EXPECT_TRUE(names.insert(set.name()).second) << set.name();
        EXPECT_TRUE(fingerprints.insert(set.fingerprint()).second) << set.name();
        EXPECT_EQ(&named_parameters(set.name()), &set);
    }
    try {
        static_cast<void>(named_parameters("tfhe256"));
        FAIL() << "an unknown name was accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::parameters);
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("tfhe256"), HasSubstr("tfhe128-fast-wide"), HasSubstr("tfhers-default")));
    }
}

/// One change to a sound set, and what the refusal must say.
struct Fault {
    const char* says;
    std::function<void(ParametersLiteral&)> make;
};

TEST(Parameters, EveryFaultIsRefusedByName) {
    ASSERT_EQ(refusal_of(own_set()), "accepted");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    const std::vector<Fault> faults{
        {"name:", [](auto& l) { l.name = ""; }},
        {"name:", [](auto& l) { l.name = "two words"; }},
        {"name:", [](auto& l) { l.name = std::string(65, 'a'); }},
        {"named set with other numbers", [](auto& l) { l.name = "tfhe128"; }},
        {"purpose:", [](auto& l) { l.purpose = "bell\a"; }},
        {"security:",
         [=](auto& l) {
             l.security = {{"lwe", nan, "x"}};
         }},
        {"method:", [](auto& l) { l.method = static_cast<Method>(9); }},
        {"torus_bits: only a torus of 32 bits", [](auto& l) { l.torus_bits = 64; }},
        {"order:", [](auto& l) { l.order = static_cast<GateOrder>(7); }},
        {"lwe.n: 0", [](auto& l) { l.lwe.dimension = 0; }},
        {"lwe.n: -5", [](auto& l) { l.lwe.dimension = -5; }},
        {"lwe.n: 4097", [](auto& l) { l.lwe.dimension = 4097; }},
        {"lwe.key", [](auto& l) { l.lwe.key = KeyDistribution::ternary; }},
        {"lwe.block: a binary key", [](auto& l) { l.lwe.block = 3; }},
        {"lwe.block: 1 is outside", [](auto& l) { l.lwe.key = KeyDistribution::block_binary; }},
        {"lwe.block: 7 does not divide n = 660",
         [](auto& l) {
             l.lwe = {660, KeyDistribution::block_binary, 7, -13};
         }},
        {"lwe.std", [=](auto& l) { l.lwe.std_log2 = nan; }},
        {"lwe.std", [=](auto& l) { l.lwe.std_log2 = -infinity; }},
        {"lwe.std: 2^-15.6", [](auto& l) { l.lwe.std_log2 = -15.6; }},
        {"lwe.std", [](auto& l) { l.lwe.std_log2 = -2; }},
        {"glwe.N: 500", [](auto& l) { l.glwe.ring_dimension = 500; }},
        {"glwe.N: 8", [](auto& l) { l.glwe.ring_dimension = 8; }},
        {"glwe.N: -512", [](auto& l) { l.glwe.ring_dimension = -512; }},
        {"glwe.N: 65536", [](auto& l) { l.glwe.ring_dimension = 65536; }},
        {"2N = 65536 is not below the modulus 2^16",
         [](auto& l) { l.glwe.ring_dimension = 32768, l.glwe.glwe_dimension = 1; }},
        {"glwe.k: 0", [](auto& l) { l.glwe.glwe_dimension = 0; }},
        {"glwe.k: 17", [](auto& l) { l.glwe.glwe_dimension = 17; }},
        {"k N = 65536", [](auto& l) { l.glwe.ring_dimension = 16384, l.glwe.glwe_dimension = 4; }},
        {"glwe.key", [](auto& l) { l.glwe.key = KeyDistribution::block_binary; }},
        {"glwe.std", [](auto& l) { l.glwe.std_log2 = -32; }},
        {"glwe.std", [=](auto& l) { l.glwe.std_log2 = infinity; }},
        {"mask: base_log * levels = 11 * 3",
         [](auto& l) {
             l.mask = {11, 3};
         }},
        {"mask: base_log 0",
         [](auto& l) {
             l.mask = {0, 3};
         }},
        {"body: levels 0",
         [](auto& l) {
             l.body = {7, 0};
         }},
        {"body: base_log * levels",
         [](auto& l) {
             l.body = {1 << 20, 1 << 20};
         }},
        {"modulus_log: 24", [](auto& l) { l.key_switch.modulus_log = 24; }},
        {"key_switch: base_log * levels = 18 exceeds its modulus 2^16",
         [](auto& l) {
             l.key_switch.gadget = {3, 6};
         }},
        {"key_switch: levels -1",
         [](auto& l) {
             l.key_switch.gadget = {3, -1};
         }},
        {"key_switch.base_log",
         [](auto& l) {
             l.key_switch = {{32, 1}, 32};
         }},
        {"br-first", [](auto& l) { l.order = GateOrder::bootstrap_first; }},
        {"exactness: an external product may reach",
         [](auto& l) {
             l.mask = {26, 1};
         }},
        {"exactness: an external product has rms",
         [](auto& l) {
             l.mask = {17, 1};
         }},
        {"noise: a fresh encryption",
         [](auto& l) {
             l.order = GateOrder::bootstrap_first;
             l.lwe = {1000, KeyDistribution::binary, 1, -4};
             l.glwe = {16, 1, KeyDistribution::binary, -31};
             l.key_switch = {{1, 8}, 32};
         }},
    };
    for (const Fault& fault : faults) {
        ParametersLiteral literal = own_set();
        fault.make(literal);
        EXPECT_THAT(refusal_of(literal), HasSubstr(fault.says));
    }
}

TEST(Parameters, AllReasonsAreListedAtOnce) {
    ParametersLiteral literal = own_set();
    literal.lwe.dimension = 0;
    literal.glwe.ring_dimension = 500;
    literal.key_switch.modulus_log = 8;
    EXPECT_THAT(refusal_of(literal),
                AllOf(HasSubstr("'own'"), HasSubstr("lwe.n"), HasSubstr("glwe.N"), HasSubstr("modulus_log")));
}

TEST(Parameters, ARefusedNameIsNotRepeated) {
    ParametersLiteral literal = own_set();
    literal.name = "\x1b[2J";
    EXPECT_THAT(refusal_of(literal), Not(HasSubstr("\x1b")));
}

TEST(Parameters, ToySetsOfStepTestsAreSound) {
    ParametersLiteral literal = own_set();
    literal.lwe = {12, KeyDistribution::block_binary, 3, -13};
    literal.glwe = {16, 1, KeyDistribution::binary, -25};
    EXPECT_EQ(refusal_of(literal), "accepted");
}

TEST(Parameters, FingerprintCoversEveryNumberAndNothingElse) {
    const Parameters base{own_set()};
    const std::vector<std::function<void(ParametersLiteral&)>> changes{
        [](auto& l) { l.lwe.dimension += 1; },
        [](auto& l) { l.lwe.std_log2 += 1e-12; },
        [](auto& l) {
            l.lwe = {660, KeyDistribution::block_binary, 2, l.lwe.std_log2};
        },
        [](auto& l) {
            l.lwe = {660, KeyDistribution::block_binary, 3, l.lwe.std_log2};
        },
        [](auto& l) { l.glwe.ring_dimension = 1024; },
        [](auto& l) { l.glwe.glwe_dimension = 3; },
        [](auto& l) { l.glwe.key = KeyDistribution::binary; },
        [](auto& l) { l.glwe.std_log2 += 0.01; },
        [](auto& l) { l.mask.base_log = 7; },
        [](auto& l) { l.mask.levels = 3; },
        [](auto& l) { l.body.base_log = 6; },
        [](auto& l) { l.body.levels = 3; },
        [](auto& l) { l.key_switch.gadget.base_log = 1; },
        [](auto& l) { l.key_switch.gadget.levels = 5; },
        [](auto& l) { l.key_switch.modulus_log = 32; },
        [](auto& l) { l.key_switch.modulus_log = 32, l.order = GateOrder::bootstrap_first; },
    };
    std::set<base::Fingerprint> seen{base.fingerprint()};
    for (const auto& change : changes) {
        ParametersLiteral literal = own_set();
        change(literal);
        EXPECT_TRUE(seen.insert(Parameters(literal).fingerprint()).second);
    }
    ParametersLiteral renamed = own_set();
    renamed.name = "other";
    renamed.purpose = "something else";
    renamed.comparison_only = true;
    renamed.security = {{"lwe", 1, "claimed"}};
    EXPECT_EQ(Parameters(renamed).fingerprint(), base.fingerprint());
}

/// Part of the file formats: a change here orphans every key ever written.
TEST(Parameters, FingerprintIsStable) {
    EXPECT_EQ(base::hex(named_parameters("tfhe128").fingerprint()),
              "237bb8fcee626a7adcf2f2dfef1666cb22d299acc78608c6e2e82e5191a69b7a");
    EXPECT_EQ(base::hex(named_parameters("tfhe128-fast").fingerprint()),
              "ca11f95583db62a29b1b591b66f94eb1a7afdc48c0feb4320c809c9ce331b64a");
}

TEST(Parameters, ANamedSetBringsItsTableRow) {
    ParametersLiteral literal = named_parameters("tfhe128").literal();
    literal.purpose = "forged";
    literal.security = {{"lwe", 500, "forged"}};
    EXPECT_EQ(Parameters(literal).literal(), named_parameters("tfhe128").literal());
}

TEST(Parameters, ComparisonOnlySetsSayWhy) {
    EXPECT_FALSE(named_parameters("tfhe128").comparison_only());
    EXPECT_THAT(named_parameters("tfhe128").comparison_reason(), IsEmpty());
    EXPECT_TRUE(named_parameters("tfhe40").comparison_only());
    EXPECT_THAT(named_parameters("tfhepp-concrete").comparison_reason(), HasSubstr("TFHEpp"));

    ParametersLiteral marked = own_set();
    EXPECT_FALSE(Parameters(marked).comparison_only()) << Parameters(marked).comparison_reason();
    marked.comparison_only = true;
    marked.purpose = "";
    EXPECT_TRUE(Parameters(marked).comparison_only());

    // Another name does not launder a comparison set.
    ParametersLiteral renamed = named_parameters("tfhe40").literal();
    renamed.name = "mine";
    renamed.comparison_only = false;
    EXPECT_TRUE(Parameters(renamed).comparison_only());
    EXPECT_THAT(Parameters(renamed).comparison_reason(), HasSubstr("tfhe40"));
}

TEST(Parameters, ProductBoundsOfThePublishedSet) {
    // 2^49.3 for mask 8x2, body 7x2, N = 512, k = 2.
    EXPECT_NEAR(product_bound(named_parameters("tfhe128").literal()).worst_case_log2, 49.3, 0.05);
}

}  // namespace
}  // namespace toroid::scheme
