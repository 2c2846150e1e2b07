// SPDX-License-Identifier: Apache-2.0
#include "compiler/c/program_builder.hpp"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "compiler/c/executor.hpp"
#include "compiler/c/memory.hpp"
#include "compiler/c/source_place.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr const char* loop_bound_port = "loop_bound_hit";

std::vector<std::string> items_of(const std::string& text) {
    std::vector<std::string> result;
    std::size_t start = 0;
    for (;;) {
        const std::size_t comma = text.find(',', start);
        result.push_back(text.substr(start, comma == std::string::npos ? comma : comma - start));
        if (comma == std::string::npos) return result;
        start = comma + 1;
    }
}

class Builder {
 public:
    Builder(const llvm::Function& function, const CInterface& interface, const ClearBits& clear,
            const std::set<std::size_t>& output_only, const COptions& options)
        : function_(function),
          interface_(interface),
          clear_(clear),
          output_only_(output_only),
          bounds_(program_.graph),
          memory_(program_.graph, bounds_),
          executor_(program_.graph, memory_, bounds_, *function.getParent(), options, program_.warnings) {}

    BuiltProgram run() {
        Memory memory;
        start_globals(memory);
        std::vector<Value> arguments;
        if (interface_.result.passing == Passing::memory) {
            result_object_ = new_object("the result", interface_.result.size, {});
            arguments.push_back(Value::of(memory_.pointer_to(result_object_)));
        }
        for (std::size_t i = 0; i < interface_.parameters.size(); ++i) add_parameter(i, arguments);
        Executor::Result result = executor_.run(function_, std::move(arguments), std::move(memory));
        program_.graph.set_location({});
        collect_outputs(result);
        find_output_only();
        return std::move(program_);
    }

 private:
    WordGraph& graph() { return program_.graph; }

    // Constructors of static variables that are no constants.
    void start_globals(Memory& memory) {
        const llvm::GlobalVariable* list = function_.getParent()->getNamedGlobal("llvm.global_ctors");
        if (list == nullptr || !list->hasInitializer()) return;
        const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
        if (entries == nullptr) return;
        for (const llvm::Use& entry : entries->operands()) {
            const auto* start = llvm::dyn_cast<llvm::Function>(
                llvm::cast<llvm::Constant>(entry)->getAggregateElement(1U)->stripPointerCasts());
            if (start != nullptr) memory = executor_.run(*start, {}, std::move(memory)).memory;
        }
    }

    Word leaf_word(const Leaf& leaf, bool is_output_only) {
        if (const auto known = clear_.find(leaf.name); known != clear_.end())
            return graph().constant(known->second);
        if (is_output_only) return graph().constant(0, leaf.width);
        return graph().input(leaf.name, leaf.width, leaf.is_signed);
    }

    ObjectId new_object(const std::string& name, std::uint64_t size, const Object& contents) {
        auto object = std::make_shared<Object>(contents.empty() ? memory_.zeros(size) : contents);
        return memory_.add({name, size, false, false, std::move(object)});
    }

    // Numbers that fill their bytes are kept whole; bits and bit-fields are packed with zeros between.
    Object laid_out(const CParameter& parameter, const std::vector<Word>& words) {
        Object object = memory_.zeros(parameter.size);
        std::vector<std::size_t> order(words.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return parameter.leaves[i].first_bit; });
        for (std::size_t k = 0; k < order.size();) {
            const Leaf* leaf = &parameter.leaves[order[k]];
            const std::uint64_t start = leaf->first_bit / 8 * 8;
            std::uint64_t at = start;
            std::vector<Word> parts;
            const auto pad_to = [&](std::uint64_t bit) {
                if (bit > at) parts.push_back(graph().constant(0, static_cast<std::uint32_t>(bit - at)));
                at = std::max(at, bit);
            };
            do {
                pad_to(leaf->first_bit);
                parts.push_back(words[order[k]]);
                at += leaf->width;
                leaf = ++k < order.size() ? &parameter.leaves[order[k]] : nullptr;
            } while (at % 8 != 0 && leaf != nullptr && leaf->first_bit < (at + 7) / 8 * 8);
            pad_to((at + 7) / 8 * 8);
            memory_.set_word(object, start / 8, parts.size() == 1 ? parts[0] : graph().concatenate(parts));
        }
        return object;
    }

    void add_parameter(std::size_t index, std::vector<Value>& arguments) {
        const CParameter& parameter = interface_.parameters[index];
        std::vector<Word> words;
        for (const Leaf& leaf : parameter.leaves)
            words.push_back(leaf_word(leaf, output_only_.contains(index)));
        objects_.push_back(null_object);
        switch (parameter.passing) {
            case Passing::nothing:
                break;
            case Passing::direct:
                arguments.push_back(Value::of(words[0]));
                break;
            case Passing::pieces: {
                const Object object = laid_out(parameter, words);
                for (unsigned k = 0; k < parameter.argument_count; ++k) {
                    const llvm::Type* type = function_.getArg(parameter.first_argument + k)->getType();
                    if (!type->isIntegerTy())
                        throw Error(ErrorKind::circuit,
                                    fmt::format("{}: parameter '{}' holds floating point, which is "
                                                "not supported",
                                                parameter.place, parameter.name));
                    const std::uint32_t width = type->getIntegerBitWidth();
                    const std::uint64_t bytes =
                        std::min<std::uint64_t>((width + 7) / 8, parameter.size - 8 * k);
                    arguments.push_back(
                        Value::of(graph().resize(memory_.word_at(object, 8 * k, bytes), width, false)));
                }
                break;
            }
            case Passing::memory:
                objects_.back() = new_object(fmt::format("'{}'", parameter.name), parameter.size,
                                             laid_out(parameter, words));
                arguments.push_back(Value::of(memory_.pointer_to(objects_.back())));
                break;
        }
        first_words_.push_back(std::move(words));
    }

    Word read_leaf(const Object& object, const Leaf& leaf) {
        const std::uint64_t first = leaf.first_bit / 8;
        const std::uint64_t last = (leaf.first_bit + leaf.width + 7) / 8;
        const Word bytes = memory_.word_at(object, first, last - first);
        return graph().extract(bytes, static_cast<std::uint32_t>(leaf.first_bit % 8), leaf.width);
    }

    void add_output(const std::string& name, Word word, bool is_signed) {
        if (!output_names_.insert(name).second) {
            throw Error(ErrorKind::circuit,
                        fmt::format("{}: two outputs would be called '{}'; rename the parameter",
                                    place_of(function_), name));
        }
        graph().output(name, word, is_signed);
    }

    void collect_outputs(const Executor::Result& result) {
        const bool clashes = std::ranges::any_of(interface_.parameters, [](const CParameter& parameter) {
            return parameter.may_change && parameter.name == "result";
        });
        program_.result_name = clashes ? "return" : "result";
        collect_result(result);
        for (std::size_t i = 0; i < interface_.parameters.size(); ++i) {
            const CParameter& parameter = interface_.parameters[i];
            if (!parameter.may_change || objects_[i] == null_object) continue;
            const Object& object = memory_.contents(result.memory, objects_[i]);
            std::vector<Word> last;
            for (const Leaf& leaf : parameter.leaves) last.push_back(read_leaf(object, leaf));
            if (last == first_words_[i] && !output_only_.contains(i)) continue;
            program_.written.insert(i);
            for (std::size_t k = 0; k < last.size(); ++k)
                add_output(parameter.leaves[k].name, last[k], parameter.leaves[k].is_signed);
        }
        if (const auto hit = executor_.loop_bound_hit()) {
            add_output(loop_bound_port, *hit, false);
            program_.has_loop_bound_output = true;
        }
        if (output_names_.empty()) {
            throw Error(ErrorKind::circuit,
                        fmt::format("{}: function '{}' returns nothing and writes to no parameter",
                                    place_of(function_), interface_.name));
        }
    }

    void collect_result(const Executor::Result& result) {
        const CParameter& description = interface_.result;
        if (description.leaves.empty()) return;
        const auto name = [&](const Leaf& leaf) {
            return program_.result_name + leaf.name.substr(description.name.size());
        };
        if (description.passing == Passing::direct) {
            add_output(program_.result_name, result.value.word, description.leaves[0].is_signed);
            return;
        }
        Object object;
        if (description.passing == Passing::memory) {
            object = memory_.contents(result.memory, result_object_);
        } else {
            object = memory_.zeros(16);
            const bool is_pair = result.value.kind == Value::Kind::aggregate;
            for (std::size_t k = 0; k < (is_pair ? result.value.fields.size() : 1); ++k) {
                const Value& piece = is_pair ? result.value.fields[k] : result.value;
                if (piece.kind != Value::Kind::word)
                    throw Error(ErrorKind::circuit, fmt::format("{}: the result holds what no port can carry",
                                                                description.place));
                const std::uint32_t bytes = (graph().width(piece.word) + 7) / 8;
                memory_.set_word(object, 8 * k, graph().zero_extend(piece.word, 8 * bytes));
            }
        }
        for (const Leaf& leaf : description.leaves)
            add_output(name(leaf), read_leaf(object, leaf), leaf.is_signed);
    }

    // A parameter that is written, and whose first contents no output depends on.
    void find_output_only() {
        std::vector<bool> seen(graph().size());
        std::vector<Word> open;
        for (const WordGraph::Output& output : graph().outputs()) open.push_back(output.word);
        while (!open.empty()) {
            const Word word = open.back();
            open.pop_back();
            if (seen[word.id]) continue;
            seen[word.id] = true;
            for (const Word operand : graph().operands(word)) open.push_back(operand);
        }
        for (const std::size_t i : program_.written) {
            const bool is_read = std::ranges::any_of(first_words_[i], [&](Word word) {
                return graph().node(word).op == WordOp::input && seen[word.id];
            });
            if (!is_read) program_.output_only.insert(i);
        }
    }

    const llvm::Function& function_;
    const CInterface& interface_;
    const ClearBits& clear_;
    const std::set<std::size_t>& output_only_;
    BuiltProgram program_;
    PathBounds bounds_;
    MemoryModel memory_;
    Executor executor_;
    ObjectId result_object_ = null_object;
    std::vector<ObjectId> objects_;               // of the parameters
    std::vector<std::vector<Word>> first_words_;  // of their leaves
    std::set<std::string> output_names_;
};

}  // namespace

ClearBits clear_bits(const CInterface& interface, const COptions& options) {
    ClearBits result;
    const auto put = [&](const Leaf& leaf, const std::string& text) {
        if (!result.emplace(leaf.name, base::parse_bits(text, leaf.width, leaf.is_signed, leaf.name)).second)
            throw Error(ErrorKind::usage, fmt::format("'{}' is given a clear value twice", leaf.name));
    };
    for (const auto& [name, text] : options.clear_values) {
        bool found = false;
        for (const CParameter& parameter : interface.parameters) {
            if (parameter.name == name && !parameter.leaves.empty()) {
                const std::vector<std::string> items = items_of(text);
                if (items.size() != parameter.leaves.size()) {
                    throw Error(ErrorKind::value,
                                fmt::format("'{}' has {} elements, but {} clear values are given", name,
                                            parameter.leaves.size(), items.size()));
                }
                for (std::size_t i = 0; i < items.size(); ++i) put(parameter.leaves[i], items[i]);
                found = true;
                break;
            }
            const auto leaf = std::ranges::find(parameter.leaves, name, &Leaf::name);
            if (leaf == parameter.leaves.end()) continue;
            put(*leaf, text);
            found = true;
            break;
        }
        if (!found)
            throw Error(
                ErrorKind::usage,
                fmt::format("function '{}' has no parameter '{}' to give a value to", interface.name, name));
    }
    for (const CParameter& parameter : interface.parameters) {
        if (!parameter.is_clear) continue;
        for (const Leaf& leaf : parameter.leaves) {
            if (!result.contains(leaf.name)) {
                throw Error(ErrorKind::usage,
                            fmt::format("{}: '{}' is TOROID_CLEAR: give its value with --set {}=...",
                                        parameter.place, leaf.name, leaf.name));
            }
        }
    }
    return result;
}

BuiltProgram build_program(const llvm::Function& function, const CInterface& interface,
                           const ClearBits& clear, const std::set<std::size_t>& output_only,
                           const COptions& options) {
    return Builder(function, interface, clear, output_only, options).run();
}

}  // namespace toroid::compiler
