// SPDX-License-Identifier: Apache-2.0
#include "compiler/xls/xls_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/xls/xls_evaluator.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

using namespace xls;

const Function& find_top(const Package& package, const std::string& name, const std::string& source) {
    if (package.functions.empty())
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: no function; procs and blocks cannot be compiled", source));
    if (!name.empty()) {
        const auto found = package.function_by_name.find(name);
        if (found != package.function_by_name.end()) return package.functions[found->second];
        throw Error(ErrorKind::circuit, fmt::format("{}: no function '{}'", source, name));
    }
    const auto is_top = [](const Function& function) { return function.is_top; };
    const auto top = std::find_if(package.functions.begin(), package.functions.end(), is_top);
    if (top != package.functions.end()) return *top;
    if (package.functions.size() == 1) return package.functions.front();
    throw Error(ErrorKind::circuit, fmt::format("{}: {} functions and none is marked top; name one", source,
                                                package.functions.size()));
}

/// Calls leaf(name, width) for each word of a value of this type, in the order of its words.
template <typename Leaf>
void for_each_leaf(const TypeTable& types, TypeId id, const std::string& name, const Leaf& leaf) {
    const Type& type = types[id];
    if (type.kind == Type::Kind::bits && type.width != 0) leaf(name, type.width);
    if (type.leaves == 0 || type.kind == Type::Kind::bits) return;
    for (std::uint32_t i = 0; i < type.count; ++i) {
        const std::string part =
            type.kind == Type::Kind::array ? fmt::format("{}[{}]", name, i) : fmt::format("{}.{}", name, i);
        for_each_leaf(types, types.element(id, i), part, leaf);
    }
}

}  // namespace

XlsProgram read_xls(std::string_view text, const std::string& source, const XlsOptions& options) {
    Package package = parse(text, source);
    const Function& top = find_top(package, options.top, source);
    XlsProgram out;
    out.name = top.name;
    std::vector<Value> arguments;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < top.parameters; ++i) {
        const Node& node = top.nodes[i];
        Value value{node.type, {}};
        for_each_leaf(package.types, node.type, node.name, [&](const std::string& name, std::uint32_t width) {
            if (out.graph.size() > options.word_limit) fail(source, node.place, "too many parameters");
            names.push_back(name);
            value.words.push_back(out.graph.input(name, width, false));
        });
        arguments.push_back(std::move(value));
    }
    // "a.0" may be a parameter of its own beside a tuple "a".
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) fail(source, top.place, fmt::format("two inputs are named '{}'", *twice));
    Evaluator evaluator(package, out.graph, source, options, out.warnings);
    const Value result = evaluator.call(top, std::move(arguments));
    auto word = result.words.begin();
    for_each_leaf(package.types, result.type, "result",
                  [&](const std::string& name, std::uint32_t) { out.graph.output(name, *word++, false); });
    if (result.words.empty())
        fail(source, top.place, fmt::format("function '{}' has a result of no bits", top.name));
    return out;
}

}  // namespace toroid::compiler
