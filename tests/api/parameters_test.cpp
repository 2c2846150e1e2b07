// SPDX-License-Identifier: Apache-2.0
#include "toroid/parameters.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "toroid/client.hpp"

namespace toroid {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// tfhe128 with another LWE key, whose file claims 500 bits.
ParameterSet own_set(int n, double std_log2) {
    auto json = nlohmann::json::parse(ParameterSet::named("tfhe128").to_json());
    json["name"] = "mine";
    json["lwe"]["n"] = n;
    json["lwe"]["std"] = std_log2;
    json["security"] = {{"lwe", 500}};
    return ParameterSet::from_json(json.dump(), "mine.json");
}

TEST(ApiParameters, FiguresOfEveryNamedSetAreThoseOfTheTable) {
    for (const ParameterSet& set : ParameterSet::all()) {
        const ParameterFigures figures = set.figures();
        EXPECT_THAT(figures.margins, IsEmpty()) << set.name();
        EXPECT_EQ(figures.comparison_only, !figures.comparison_reason.empty()) << set.name();
        for (const SecurityFigure& figure : figures.security) EXPECT_THAT(figure.source, Not(IsEmpty()));
    }
    const ParameterFigures figures = ParameterSet::named("tfhe128").figures();
    EXPECT_THAT(figures.security, SizeIs(3));
    EXPECT_NEAR(figures.blind_rotation_fma / 1e6, 44.5, 0.05);
    EXPECT_EQ(figures.evaluation_key_bytes, 652U * 6 * 512 * 4 + 1024U * 6 * 2);
}

TEST(ApiParameters, AnOwnSetIsJudgedByMarginsAndItsOwnFiguresDecideNothing) {
    const ParameterFigures good = own_set(652, -13.85).figures();
    EXPECT_FALSE(good.comparison_only) << good.comparison_reason;
    ASSERT_THAT(good.margins, SizeIs(3));
    for (const SecurityMargin& margin : good.margins) {
        EXPECT_TRUE(margin.meets_128()) << margin.model;
        EXPECT_THAT(margin.source, HasSubstr("lattice-estimator"));
    }
    EXPECT_NEAR(good.margins[0].std_margin_log2, -13.85 + 0.025664 * 652 - 2.582, 1e-9);
    ASSERT_THAT(good.security, SizeIs(1));
    EXPECT_EQ(good.security[0].bits, 500);
    EXPECT_THAT(good.security[0].source, HasSubstr("not verified"));

    const ParameterSet weak_set = own_set(652, -14.5);
    const ParameterFigures weak = weak_set.figures();
    EXPECT_TRUE(weak.comparison_only);
    EXPECT_FALSE(weak.margins[0].meets_128());
    EXPECT_THAT(weak.comparison_reason, HasSubstr("lwe is not shown to have 128 bits"));
    // The refusal of a key says the same.
    try {
        (void)SecretKey::generate(weak_set);
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::parameters);
        EXPECT_THAT(error.what(), HasSubstr(weak.comparison_reason));
    }
}

}  // namespace
}  // namespace toroid
