// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "scheme/parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

using Json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* own_set = R"({
  "name": "own", "purpose": "a test", "order": "ks-first",
  "lwe": {"n": 780, "key": "block-binary", "block": 3, "std": -15.2},
  "glwe": {"N": 512, "k": 2, "key": "ternary", "std": -24.97},
  "mask": {"base_log": 8, "levels": 2}, "body": {"base_log": 7, "levels": 2},
  "key_switch": {"base_log": 2, "levels": 7, "modulus_log": 16},
  "p_fail_log2": {"2": -170.5, "14": -34}, "security": {"lwe_meet": 145.0}, "fma_million": 29.7})";

struct Refusal {
    ErrorKind kind;
    std::string message;
};
Refusal refusal_of(const std::string& text) {
    try {
        static_cast<void>(parameters_from_json(text, "own.json"));
    } catch (const Error& error) {
        return {error.kind(), error.what()};
    }
    return {ErrorKind::internal, "accepted"};
}

TEST(ParametersJson, ReadsEveryField) {
    const ParametersLiteral literal = parameters_from_json(own_set, "own.json");
    EXPECT_EQ(literal.name, "own");
    EXPECT_EQ(literal.purpose, "a test");
    EXPECT_FALSE(literal.comparison_only);
    EXPECT_EQ(literal.torus_bits, 32);
    EXPECT_EQ(literal.order, GateOrder::key_switch_first);
    EXPECT_EQ(literal.lwe, (LweLiteral{780, KeyDistribution::block_binary, 3, -15.2}));
    EXPECT_EQ(literal.glwe, (GlweLiteral{512, 2, KeyDistribution::ternary, -24.97}));
    EXPECT_EQ(literal.mask, (math::Gadget{8, 2}));
    EXPECT_EQ(literal.body, (math::Gadget{7, 2}));
    EXPECT_EQ(literal.key_switch, (KeySwitchLiteral{{2, 7}, 16}));
    ASSERT_EQ(literal.security.size(), 1U);
    EXPECT_EQ(literal.security[0].model, "lwe_meet");
    EXPECT_THAT(literal.security[0].source, HasSubstr("own.json, not verified"));
}

TEST(ParametersJson, RoundTrips) {
    std::vector<Parameters> sets = named_parameters();
    sets.emplace_back(parameters_from_json(own_set, "own.json"));
    ParametersLiteral awkward = sets.back().literal();
    awkward.name = "awkward";
    awkward.comparison_only = true;
    awkward.lwe.std_log2 = -15.2 + 1e-15;
    sets.emplace_back(awkward);
    for (const Parameters& set : sets) {
        const std::string text = parameters_to_json(set);
        const Parameters again{parameters_from_json(text, "own.json")};
        EXPECT_EQ(again.literal(), set.literal()) << text;
        EXPECT_EQ(again.fingerprint(), set.fingerprint());
        EXPECT_EQ(parameters_to_json(again), text);
    }
}

/// Each field that must be there, by its path.
TEST(ParametersJson, MissingFieldsAreNamed) {
    const Json sound = Json::parse(own_set);
    const std::vector<std::pair<std::string, std::string>> required{{"", "name"},
                                                                    {"", "order"},
                                                                    {"", "lwe"},
                                                                    {"", "glwe"},
                                                                    {"", "mask"},
                                                                    {"", "body"},
                                                                    {"", "key_switch"},
                                                                    {"lwe", "n"},
                                                                    {"lwe", "key"},
                                                                    {"lwe", "block"},
                                                                    {"lwe", "std"},
                                                                    {"glwe", "N"},
                                                                    {"glwe", "k"},
                                                                    {"glwe", "key"},
                                                                    {"glwe", "std"},
                                                                    {"mask", "base_log"},
                                                                    {"mask", "levels"},
                                                                    {"body", "levels"},
                                                                    {"body", "base_log"},
                                                                    {"key_switch", "base_log"},
                                                                    {"key_switch", "levels"},
                                                                    {"key_switch", "modulus_log"}};
    for (const auto& [parent, field] : required) {
        Json json = sound;
        (parent.empty() ? json : json[parent]).erase(field);
        const std::string path = parent.empty() ? field : parent + "." + field;
        const Refusal refusal = refusal_of(json.dump());
        EXPECT_EQ(refusal.kind, ErrorKind::parameters) << path;
        EXPECT_THAT(refusal.message, AllOf(HasSubstr("own.json"), HasSubstr("'" + path + "' is missing")));
    }
}

TEST(ParametersJson, UnknownFieldsAreNamed) {
    const Json sound = Json::parse(own_set);
    for (const std::string parent : {"", "lwe", "glwe", "mask", "body", "key_switch"}) {
        Json json = sound;
        (parent.empty() ? json : json[parent])["extra"] = 1;
        const std::string path = parent.empty() ? "extra" : parent + ".extra";
        EXPECT_THAT(refusal_of(json.dump()).message, HasSubstr("'" + path + "' is unknown"));
    }
}

TEST(ParametersJson, WrongTypesAreNamed) {
    const Json sound = Json::parse(own_set);
    const std::vector<std::pair<std::string, Json>> faults{
        {"/name", 1},
        {"/purpose", Json::array()},
        {"/comparison_only", "yes"},
        {"/method", "fhew"},
        {"/torus_bits", "32"},
        {"/order", "sideways"},
        {"/lwe", 3},
        {"/lwe/n", 652.5},
        {"/lwe/n", 1e12},
        {"/lwe/n", 4294967297LL},
        {"/lwe/n", -4294967297LL},
        {"/lwe/n", 18446744073709551615ULL},
        {"/lwe/n", "780"},
        {"/lwe/key", "unary"},
        {"/lwe/block", true},
        {"/lwe/std", "small"},
        {"/lwe/std", nullptr},
        {"/glwe", Json::array({1})},
        {"/mask/levels", Json::object()},
        {"/p_fail_log2", 1},
        {"/p_fail_log2/2", "low"},
        {"/p_fail_log2/2", 3},
        {"/p_fail_log2/two", -100},
        {"/security/lwe_meet", "high"},
        {"/fma_million", -1},
    };
    for (const auto& [pointer, value] : faults) {
        Json json = sound;
        json[Json::json_pointer(pointer)] = value;
        std::string path = pointer.substr(1);
        for (char& c : path) c = c == '/' ? '.' : c;
        const Refusal refusal = refusal_of(json.dump());
        EXPECT_EQ(refusal.kind, ErrorKind::parameters) << pointer << " = " << value;
        EXPECT_THAT(refusal.message, HasSubstr("'" + path + "'")) << value;
    }
    EXPECT_THAT(refusal_of("[]").message, HasSubstr("the set must be an object"));
    EXPECT_THAT(refusal_of("3").message, HasSubstr("the set must be an object"));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(ParametersJson, DuplicateFieldsAreRefused) {
    EXPECT_THAT(refusal_of(replaced(own_set, "\"purpose\"", "\"name\"")).message,
                HasSubstr("duplicate field 'name'"));
    EXPECT_THAT(refusal_of(replaced(own_set, "\"k\": 2", "\"N\": 512")).message,
                HasSubstr("duplicate field 'N'"));
    // The same name in different objects is fine: base_log occurs three times in every set.
    EXPECT_EQ(refusal_of(own_set).message, "accepted");
}

TEST(ParametersJson, BlocksBelongToBlockKeys) {
    EXPECT_THAT(refusal_of(replaced(own_set, "block-binary", "binary")).message,
                HasSubstr("'lwe.block' belongs to block-binary keys only"));
}

TEST(ParametersJson, MalformedTextIsAFormatError) {
    const std::string nested = std::string(20000, '[');
    const std::vector<std::string> texts{"",
                                         "{",
                                         "not json",
                                         replaced(own_set, "-15.2", "NaN"),
                                         replaced(own_set, "-15.2", "-1e999"),
                                         nested,
                                         replaced(own_set, "\"a test\"", nested),
                                         replaced(own_set, "a test", "\xff"),
                                         std::string(own_set) + "x",
                                         std::string(own_set) + std::string(70000, ' ')};
    for (const std::string& text : texts) {
        const Refusal refusal = refusal_of(text);
        EXPECT_EQ(refusal.kind, ErrorKind::format) << refusal.message << "\n" << text.substr(0, 300);
        EXPECT_THAT(refusal.message, HasSubstr("own.json"));
    }
}

TEST(ParametersJson, EveryCutIsRefused) {
    const std::string text = own_set;
    for (std::size_t length = 0; length < text.size(); ++length) {
        EXPECT_NE(refusal_of(text.substr(0, length)).message, "accepted") << length;
    }
}

TEST(ParametersJson, FieldNamesAreShownWithoutControlCharacters) {
    const std::string message = refusal_of(replaced(own_set, "\"purpose\"", "\"\\u001b[2J\"")).message;
    EXPECT_THAT(message, AllOf(HasSubstr("'?[2J' is unknown"), testing::Not(HasSubstr("\x1b"))));
}

TEST(ParametersJson, ThePurposeCanMarkAComparisonSet) {
    EXPECT_TRUE(parameters_from_json(replaced(own_set, "a test", "comparison only: a test"), "own.json")
                    .comparison_only);
    EXPECT_FALSE(
        parameters_from_json(
            replaced(own_set, "\"a test\"", "\"comparison only\", \"comparison_only\": false"), "own.json")
            .comparison_only);
}

}  // namespace
}  // namespace toroid::scheme
