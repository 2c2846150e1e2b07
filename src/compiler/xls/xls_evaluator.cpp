// SPDX-License-Identifier: Apache-2.0
#include "compiler/xls/xls_evaluator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "toroid/error.hpp"

namespace toroid::compiler::xls {
namespace {

constexpr std::uint32_t deepest_call = 200;
constexpr std::uint64_t steps_between_checkpoints = 1024;

}  // namespace

Evaluator::Evaluator(Package& package, WordGraph& graph, const std::string& source, const XlsOptions& options,
                     std::vector<circuit::Warning>& warnings)
    : package_(package), graph_(graph), source_(source), options_(options), warnings_(warnings) {
    own_file_ = graph_.add_file(source);
    for (const std::string& file : package_.files) files_.push_back(graph_.add_file(file));
}

void Evaluator::fail(const Job& job, const std::string& message) const {
    xls::fail(source_, job.node.place, fmt::format("{}: {}", job.node.operation.substr(0, 60), message));
}

void Evaluator::spend(const Job& job, std::uint64_t steps) {
    const std::uint64_t before = steps_ / steps_between_checkpoints;
    steps_ += steps;
    if (steps_ > options_.step_limit)
        fail(job, fmt::format("the program takes more than {} steps to unfold", options_.step_limit));
    if (graph_.size() > options_.word_limit)
        fail(job, fmt::format("the program has more than {} words", options_.word_limit));
    if (options_.checkpoint && steps_ / steps_between_checkpoints != before) options_.checkpoint();
}

std::uint32_t Evaluator::width(const Job& job) const {
    if (type(job.node.type).kind != Type::Kind::bits) fail(job, "the result is not of a bits type");
    return type(job.node.type).width;
}

void Evaluator::expect_operands(const Job& job, std::size_t count) const {
    if (job.node.operands.size() != count)
        fail(job, fmt::format("{} operands, not {}", job.node.operands.size(), count));
}

const Value& Evaluator::operand(const Job& job, std::size_t index) const {
    if (index >= job.node.operands.size()) fail(job, "too few operands");
    return job.values[job.node.operands[index]];
}

const Keyword* Evaluator::find_keyword(const Job& job, const char* name) const {
    const auto found = std::find_if(job.node.keywords.begin(), job.node.keywords.end(),
                                    [&](const Keyword& keyword) { return keyword.name == name; });
    return found == job.node.keywords.end() ? nullptr : &*found;
}

const Keyword& Evaluator::keyword(const Job& job, const char* name) const {
    const Keyword* found = find_keyword(job, name);
    if (found == nullptr) fail(job, fmt::format("no '{}='", name));
    return *found;
}

std::uint32_t Evaluator::number(const Job& job, const char* name) const {
    const Keyword& found = keyword(job, name);
    if (!found.is_number || found.number < 0 || found.number > 0x7fffffff)
        fail(job, fmt::format("'{}={}' is not a count", name, found.text.substr(0, 60)));
    return static_cast<std::uint32_t>(found.number);
}

const Function& Evaluator::function(const Job& job, const char* keyword_name) const {
    const std::string& name = keyword(job, keyword_name).text;
    const auto found = package_.function_by_name.find(name);
    if (found == package_.function_by_name.end())
        fail(job, fmt::format("no function '{}'", name.substr(0, 60)));
    return package_.functions[found->second];
}

Word Evaluator::bits(const Job& job, const Value& value) const {
    if (type(value.type).kind != Type::Kind::bits)
        fail(job, fmt::format("an operand of {}, not bits", package_.types.text(value.type)));
    return value.words.empty() ? graph_.constant(0, 1) : value.words.front();
}

void Evaluator::expect_type(const Job& job, const Value& value, TypeId wanted) const {
    if (value.type != wanted) {
        fail(job, fmt::format("an operand of {}, not {}", package_.types.text(value.type),
                              package_.types.text(wanted)));
    }
}

Value Evaluator::result(const Job& job, Word word) const {
    const std::uint32_t wanted = width(job);
    if (wanted == 0) return {job.node.type, {}};
    if (graph_.width(word) != wanted)
        fail(job, fmt::format("the result has {} bits, not {}", graph_.width(word), wanted));
    return {job.node.type, {word}};
}

Value Evaluator::part(const Value& value, std::uint32_t index) const {
    const Type& whole = type(value.type);
    std::uint64_t first = 0;
    if (whole.kind == Type::Kind::array) {
        first = index * type(whole.elements[0]).leaves;
    } else {
        for (std::uint32_t i = 0; i < index; ++i) first += type(whole.elements[i]).leaves;
    }
    const TypeId element = package_.types.element(value.type, index);
    const auto begin = value.words.begin() + static_cast<std::ptrdiff_t>(first);
    return {element, {begin, begin + static_cast<std::ptrdiff_t>(type(element).leaves)}};
}

Value Evaluator::call(const Function& function, std::vector<Value> arguments) {
    if (depth_ == deepest_call)
        xls::fail(source_, function.place, fmt::format("calls nested more than {} deep", deepest_call));
    ++depth_;
    std::vector<Value> values = std::move(arguments);
    values.reserve(function.nodes.size());
    for (std::size_t i = function.parameters; i < function.nodes.size(); ++i) {
        const Node& node = function.nodes[i];
        const Job job{node, values};
        spend(job, 1 + type(node.type).leaves);
        if (node.location.line != 0) {
            graph_.set_location({files_[node.location.file], node.location.line, node.location.column});
        } else {
            graph_.set_location({own_file_, node.place.line, node.place.column});
        }
        values.push_back(evaluate(job));
    }
    --depth_;
    return std::move(values[function.result]);
}

Value Evaluator::evaluate(const Job& job) {
    Value out{job.node.type, {}};
    const bool known = evaluate_bits(job, out) || evaluate_arithmetic(job, out) ||
                       evaluate_comparison(job, out) || evaluate_choice(job, out) ||
                       evaluate_aggregate(job, out) || evaluate_call(job, out) || evaluate_effect(job, out);
    if (!known) fail(job, "this operation is not supported");
    if (out.type != job.node.type) {
        fail(job, fmt::format("the result is {}, not {}", package_.types.text(out.type),
                              package_.types.text(job.node.type)));
    }
    return out;
}

bool Evaluator::evaluate_call(const Job& job, Value& out) {
    const std::string& name = job.node.operation;
    const auto checked = [&](const Function& callee, std::vector<Value> arguments) {
        if (arguments.size() != callee.parameters) {
            fail(job, fmt::format("{} arguments, but '{}' takes {}", arguments.size(),
                                  callee.name.substr(0, 60), callee.parameters));
        }
        for (std::size_t i = 0; i < arguments.size(); ++i)
            expect_type(job, arguments[i], callee.nodes[i].type);
        return call(callee, std::move(arguments));
    };
    if (name == "invoke") {
        std::vector<Value> arguments;
        for (std::size_t i = 0; i < job.node.operands.size(); ++i) arguments.push_back(operand(job, i));
        out = checked(function(job, "to_apply"), std::move(arguments));
        return true;
    }
    if (name == "map") {
        expect_operands(job, 1);
        const Value& array = operand(job, 0);
        if (type(array.type).kind != Type::Kind::array || type(job.node.type).kind != Type::Kind::array ||
            type(array.type).count != type(job.node.type).count) {
            fail(job, "operand and result are not arrays of one length");
        }
        const Function& callee = function(job, "to_apply");
        for (std::uint32_t i = 0; i < type(array.type).count; ++i) {
            const Value element = checked(callee, {part(array, i)});
            expect_type(job, element, type(job.node.type).elements[0]);
            out.words.insert(out.words.end(), element.words.begin(), element.words.end());
        }
        return true;
    }
    if (name == "counted_for") {
        expect_operands(job, 1);
        const Function& body = function(job, "body");
        const std::uint32_t trips = number(job, "trip_count");
        const std::uint64_t stride = find_keyword(job, "stride") != nullptr ? number(job, "stride") : 1;
        if (body.parameters < 2 || type(body.nodes[0].type).kind != Type::Kind::bits)
            fail(job, "the loop's body does not take a counter and a value");
        const std::uint32_t counter_width = type(body.nodes[0].type).width;
        out = operand(job, 0);
        for (std::uint64_t trip = 0; trip < trips; ++trip) {
            spend(job, 1);
            Value counter{body.nodes[0].type, {}};
            if (counter_width != 0) counter.words = {graph_.constant(trip * stride, counter_width)};
            std::vector<Value> arguments{std::move(counter), std::move(out)};
            if (const Keyword* invariant = find_keyword(job, "invariant_args"); invariant != nullptr) {
                for (const std::uint32_t index : invariant->operands) arguments.push_back(job.values[index]);
            }
            out = checked(body, std::move(arguments));
        }
        return true;
    }
    if (name == "dynamic_counted_for")
        fail(job, "a loop whose trip count is a value cannot be unfolded; use counted_for");
    return false;
}

bool Evaluator::evaluate_effect(const Job& job, const Value& out) {
    const std::string& name = job.node.operation;
    if (name == "after_all") return type(out.type).kind == Type::Kind::token;
    const bool ignored = name == "assert" || name == "trace" || name == "cover";
    if (!ignored) return false;
    if (type(out.type).leaves != 0) fail(job, "the result is not a token");
    warnings_.push_back({fmt::format("{}:{}", source_, job.node.place.line),
                         fmt::format("'{}' makes no logic and is not checked", name)});
    return true;
}

}  // namespace toroid::compiler::xls
