// SPDX-License-Identifier: Apache-2.0
// One parameter set as JSON:
//   {"name", "purpose"?, "comparison_only"?, "method"?, "torus_bits"?, "order": "ks-first" | "br-first",
//    "lwe": {"n", "key": "binary" | "ternary" | "block-binary", "block" (block-binary only), "std": log2},
//    "glwe": {"N", "k", "key": "binary" | "ternary", "std": log2}, "mask": {"base_log", "levels"}, "body": as
//    mask, "key_switch": {"base_log", "levels", "modulus_log"}, "p_fail_log2"?: {W: log2 p}, "security"?:
//    {model: bits}, "fma_million"?}
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "scheme/parameters.hpp"
#include "toroid/error.hpp"

namespace toroid::scheme {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t longest_text = 64 * 1024;
constexpr int deepest_nesting = 3;
constexpr std::string_view comparison_prefix = "comparison only";

struct OrderName {
    std::string_view name;
    GateOrder order;
};
constexpr std::array order_names{OrderName{"ks-first", GateOrder::key_switch_first},
                                 OrderName{"br-first", GateOrder::bootstrap_first}};
struct KeyName {
    std::string_view name;
    KeyDistribution key;
};
constexpr std::array key_names{KeyName{"binary", KeyDistribution::binary},
                               KeyName{"ternary", KeyDistribution::ternary},
                               KeyName{"block-binary", KeyDistribution::block_binary}};

/// A field's name from the file, fit for a message.
std::string shown(std::string_view name) {
    constexpr std::size_t longest_shown = 60;
    std::string out(name.substr(0, longest_shown));
    for (char& c : out) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    }
    return out;
}

/// Parses, refusing what the library would let pass: duplicate fields and deep nesting.
Json parse(std::string_view text, std::string_view source) {
    if (text.size() > longest_text) {
        throw Error(ErrorKind::format,
                    fmt::format("{}: longer than {} bytes, no parameter set", source, longest_text));
    }
    std::vector<std::set<std::string>> open_objects;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth > deepest_nesting) {
            throw Error(ErrorKind::format, fmt::format("{}: nested deeper than a parameter set", source));
        }
        if (event == Json::parse_event_t::object_start) {
            open_objects.emplace_back();
        } else if (event == Json::parse_event_t::object_end) {
            open_objects.pop_back();
        } else if (event == Json::parse_event_t::key) {
            const std::string key = parsed.get<std::string>();
            if (!open_objects.back().insert(key).second) {
                throw Error(ErrorKind::parameters,
                            fmt::format("{}: duplicate field '{}'", source, shown(key)));
            }
        }
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const Json::exception& problem) {
        throw Error(ErrorKind::format, fmt::format("{}: not JSON: {}", source, problem.what()));
    }
}

/// One object of the file. Each field is asked for once; finish() refuses what nobody asked for.
class Fields {
 public:
    Fields(const Json& object, std::string source, std::string path)
        : object_(object), source_(std::move(source)), path_(std::move(path)) {
        if (!object_.is_object()) fail("", "must be an object");
    }

    [[noreturn]] void fail(const std::string& field, const std::string& what) const {
        std::string where = path_;
        if (!where.empty() && !field.empty()) where += ".";
        where += shown(field);
        throw Error(ErrorKind::parameters,
                    fmt::format("{}: {}{}{}", source_, where.empty() ? "the set" : "field '" + where + "'",
                                " ", what));
    }

    [[nodiscard]] bool has(const std::string& field) const { return object_.contains(field); }

    const Json& at(const std::string& field) {
        known_.insert(field);
        const auto found = object_.find(field);
        if (found == object_.end()) fail(field, "is missing");
        return *found;
    }

    Fields object(const std::string& field) {
        return {at(field), source_, path_.empty() ? field : path_ + "." + field};
    }

    int integer(const std::string& field) {
        const Json& value = at(field);
        const bool is_small =
            value.is_number_integer() &&
            (value.is_number_unsigned() ? value.get<std::uint64_t>() <= std::uint64_t{1} << 30
                                        : value.get<std::int64_t>() >= -(std::int64_t{1} << 30));
        if (!is_small) fail(field, "must be an integer within +-2^30");
        return value.get<int>();
    }

    double number(const std::string& field) {
        const Json& value = at(field);
        if (!value.is_number()) fail(field, "must be a number");
        return value.get<double>();
    }

    std::string text(const std::string& field) {
        const Json& value = at(field);
        if (!value.is_string()) fail(field, "must be a text");
        return value.get<std::string>();
    }

    bool boolean(const std::string& field) {
        const Json& value = at(field);
        if (!value.is_boolean()) fail(field, "must be true or false");
        return value.get<bool>();
    }

    KeyDistribution key(const std::string& field) {
        const std::string name = text(field);
        for (const KeyName& known : key_names) {
            if (known.name == name) return known.key;
        }
        fail(field, "must be binary, ternary or block-binary");
    }

    GateOrder order(const std::string& field) {
        const std::string name = text(field);
        for (const OrderName& known : order_names) {
            if (known.name == name) return known.order;
        }
        fail(field, "must be ks-first or br-first");
    }

    math::Gadget gadget(const std::string& field) {
        Fields inner = object(field);
        const math::Gadget gadget{.base_log = inner.integer("base_log"), .levels = inner.integer("levels")};
        inner.finish();
        return gadget;
    }

    void finish() const {
        for (const auto& [field, value] : object_.items()) {
            if (!known_.contains(field)) fail(field, "is unknown");
        }
    }

    [[nodiscard]] const Json& json() const { return object_; }

 private:
    const Json& object_;
    std::string source_;
    std::string path_;
    std::set<std::string> known_;
};

LweLiteral read_lwe(Fields fields) {
    LweLiteral lwe;
    lwe.dimension = fields.integer("n");
    lwe.key = fields.key("key");
    if (lwe.key == KeyDistribution::block_binary) {
        lwe.block = fields.integer("block");
    } else if (fields.has("block")) {
        fields.fail("block", "belongs to block-binary keys only");
    }
    lwe.std_log2 = fields.number("std");
    fields.finish();
    return lwe;
}

GlweLiteral read_glwe(Fields fields) {
    GlweLiteral glwe;
    glwe.ring_dimension = fields.integer("N");
    glwe.glwe_dimension = fields.integer("k");
    glwe.key = fields.key("key");
    glwe.std_log2 = fields.number("std");
    fields.finish();
    return glwe;
}

KeySwitchLiteral read_key_switch(Fields fields) {
    KeySwitchLiteral key_switch;
    key_switch.gadget.base_log = fields.integer("base_log");
    key_switch.gadget.levels = fields.integer("levels");
    key_switch.modulus_log = fields.integer("modulus_log");
    fields.finish();
    return key_switch;
}

std::vector<SecurityEstimate> read_security(Fields fields, std::string_view source) {
    std::vector<SecurityEstimate> security;
    for (const auto& [model, bits] : fields.json().items()) {
        security.push_back({model, fields.number(model), fmt::format("stated by {}, not verified", source)});
    }
    return security;
}

/// Stated probabilities are only checked to be well formed: Toroid recomputes them.
void check_stated_failures(Fields fields) {
    for (const auto& [weight_norm, probability] : fields.json().items()) {
        const bool is_number = !weight_norm.empty() && weight_norm.size() <= 6 &&
                               weight_norm.find_first_not_of("0123456789") == std::string::npos;
        if (!is_number) fields.fail(weight_norm, "must be named by a weight norm");
        if (!(fields.number(weight_norm) <= 0)) fields.fail(weight_norm, "must be log2 of a probability");
    }
}

std::string_view name_of(KeyDistribution key) {
    for (const KeyName& known : key_names) {
        if (known.key == key) return known.name;
    }
    throw Error(ErrorKind::internal, "unknown key distribution");
}

std::string_view name_of(GateOrder order) {
    for (const OrderName& known : order_names) {
        if (known.order == order) return known.name;
    }
    throw Error(ErrorKind::internal, "unknown gate order");
}

Json to_json(math::Gadget gadget) {
    return {{"base_log", gadget.base_log}, {"levels", gadget.levels}};
}

}  // namespace

ParametersLiteral parameters_from_json(std::string_view text, std::string_view source) {
    const Json json = parse(text, source);
    Fields fields(json, std::string(source), "");
    ParametersLiteral literal;
    literal.name = fields.text("name");
    if (fields.has("purpose")) literal.purpose = fields.text("purpose");
    // The named table says it in words.
    literal.comparison_only = fields.has("comparison_only") ? fields.boolean("comparison_only")
                                                            : literal.purpose.starts_with(comparison_prefix);
    if (fields.has("method") && fields.text("method") != "cggi") fields.fail("method", "must be cggi");
    if (fields.has("torus_bits")) literal.torus_bits = fields.integer("torus_bits");
    literal.order = fields.order("order");
    literal.lwe = read_lwe(fields.object("lwe"));
    literal.glwe = read_glwe(fields.object("glwe"));
    literal.mask = fields.gadget("mask");
    literal.body = fields.gadget("body");
    literal.key_switch = read_key_switch(fields.object("key_switch"));
    if (fields.has("p_fail_log2")) check_stated_failures(fields.object("p_fail_log2"));
    if (fields.has("security")) literal.security = read_security(fields.object("security"), source);
    if (fields.has("fma_million") && !(fields.number("fma_million") >= 0))
        fields.fail("fma_million", "is negative");
    fields.finish();
    return literal;
}

std::string parameters_to_json(const Parameters& parameters) {
    const ParametersLiteral& literal = parameters.literal();
    Json json;
    json["name"] = literal.name;
    json["purpose"] = literal.purpose;
    json["comparison_only"] = literal.comparison_only;
    json["method"] = "cggi";
    json["torus_bits"] = literal.torus_bits;
    json["order"] = name_of(literal.order);
    json["lwe"] = {{"n", literal.lwe.dimension}, {"key", name_of(literal.lwe.key)}};
    if (literal.lwe.key == KeyDistribution::block_binary) json["lwe"]["block"] = literal.lwe.block;
    json["lwe"]["std"] = literal.lwe.std_log2;
    json["glwe"] = {{"N", literal.glwe.ring_dimension},
                    {"k", literal.glwe.glwe_dimension},
                    {"key", name_of(literal.glwe.key)},
                    {"std", literal.glwe.std_log2}};
    json["mask"] = to_json(literal.mask);
    json["body"] = to_json(literal.body);
    json["key_switch"] = to_json(literal.key_switch.gadget);
    json["key_switch"]["modulus_log"] = literal.key_switch.modulus_log;
    if (!literal.security.empty()) {
        Json& security = json["security"] = Json::object();
        for (const SecurityEstimate& estimate : literal.security) security[estimate.model] = estimate.bits;
    }
    // Texts of a literal made in code need not be UTF-8.
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace toroid::scheme
