// SPDX-License-Identifier: Apache-2.0
#include "compiler/word/word_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/word/constant_arithmetic.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr std::size_t largest_size = 0xfffffff0;

[[noreturn]] void fail(const std::string& message) {
    throw Error(ErrorKind::internal, "word graph: " + message);
}

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ hash >> 29;
}

}  // namespace

std::size_t WordGraph::PartsHash::operator()(const std::vector<std::uint32_t>& parts) const {
    std::uint64_t out = parts.size();
    for (const std::uint32_t part : parts) out = mix(out, part);
    return out;
}

std::uint64_t WordGraph::hash(const Node& node, std::span<const Word> operands) const {
    std::uint64_t out = mix(static_cast<std::uint64_t>(node.op) << 32 | node.width, node.parameter);
    for (const Word operand : operands) out = mix(out, operand.id);
    return out;
}

void WordGraph::grow_buckets() {
    buckets_.assign(std::max<std::size_t>(1024, 2 * buckets_.size()), 0);
    for (std::uint32_t id = 0; id < nodes_.size(); ++id) {
        std::size_t at = hash(nodes_[id], this->operands({id})) & (buckets_.size() - 1);
        while (buckets_[at] != 0) at = (at + 1) & (buckets_.size() - 1);
        buckets_[at] = id + 1;
    }
}

Word WordGraph::make(WordOp op, std::uint32_t width, std::uint32_t parameter,
                     std::span<const Word> operands) {
    if (width == 0) fail("a word of no bits");
    if (2 * (nodes_.size() + 1) > buckets_.size()) grow_buckets();
    Node node{op,
              width,
              parameter,
              static_cast<std::uint32_t>(operands_.size()),
              static_cast<std::uint32_t>(operands.size()),
              location_};
    std::size_t at = hash(node, operands) & (buckets_.size() - 1);
    for (; buckets_[at] != 0; at = (at + 1) & (buckets_.size() - 1)) {
        const Word known{buckets_[at] - 1};
        const Node& other = nodes_[known.id];
        if (other.op == op && other.width == width && other.parameter == parameter &&
            std::ranges::equal(this->operands(known), operands)) {
            return known;
        }
    }
    if (nodes_.size() > largest_size || operands_.size() + operands.size() > largest_size)
        throw Error(ErrorKind::circuit, "the program has more than 2^32 words");
    const Word out{static_cast<std::uint32_t>(nodes_.size())};
    const std::vector<Word> copy(operands.begin(), operands.end());  // they may lie in operands_ itself
    operands_.insert(operands_.end(), copy.begin(), copy.end());
    nodes_.push_back(node);
    buckets_[at] = out.id + 1;
    return out;
}

std::uint32_t WordGraph::same_width(Word a, Word b, const char* what) const {
    if (width(a) != width(b)) fail(fmt::format("{} of {} and {} bits", what, width(a), width(b)));
    return width(a);
}

void WordGraph::check_bit(Word a, const char* what) const {
    if (width(a) != 1) fail(fmt::format("{} has {} bits, not one", what, width(a)));
}

void WordGraph::order(Word& a, Word& b) const {
    const bool swap = is_constant(a) != is_constant(b) ? is_constant(a) : a.id > b.id;
    if (swap) std::swap(a, b);
}

std::uint32_t WordGraph::add_file(const std::string& name) {
    const auto found = std::find(files_.begin(), files_.end(), name);
    if (found != files_.end()) return static_cast<std::uint32_t>(found - files_.begin());
    files_.push_back(name);
    return static_cast<std::uint32_t>(files_.size() - 1);
}

Word WordGraph::input(const std::string& name, std::uint32_t width, bool is_signed) {
    const Word word = make(WordOp::input, width, {}, static_cast<std::uint32_t>(inputs_.size()));
    inputs_.push_back({name, width, is_signed, word});
    return word;
}

void WordGraph::output(const std::string& name, Word word, bool is_signed) {
    outputs_.push_back({name, is_signed, word});
}

Word WordGraph::constant(const base::BitVector& bits) {
    const auto known = known_constants_.find(bits);
    if (known != known_constants_.end()) return known->second;
    const auto width = static_cast<std::uint32_t>(bits.size());
    const Word word = make(WordOp::constant, width, {}, static_cast<std::uint32_t>(constants_.size()));
    constants_.push_back(bits);
    known_constants_.emplace(bits, word);
    return word;
}

Word WordGraph::constant(std::uint64_t value, std::uint32_t width) {
    return constant(constants::make(value, width));
}

Word WordGraph::ones(std::uint32_t width) {
    return constant(base::BitVector(width, true));
}

bool WordGraph::constant_value(Word a, std::uint64_t& value) const {
    return is_constant(a) && constants::fits_64(constant_bits(a), value);
}

bool WordGraph::is_zero(Word a) const {
    return is_constant(a) && constants::all(constant_bits(a), false);
}

bool WordGraph::is_ones(Word a) const {
    return is_constant(a) && constants::all(constant_bits(a), true);
}

bool WordGraph::inverse(Word a, Word b) const {
    return (is(a, WordOp::bit_not) && operand(a, 0) == b) || (is(b, WordOp::bit_not) && operand(b, 0) == a) ||
           (is_constant(a) && is_constant(b) && constant_bits(a) == constants::invert(constant_bits(b)));
}

Word WordGraph::lookup(Word index, const Table& table) {
    index = strip_extension(index);
    const std::uint32_t index_width = width(index);
    const std::uint64_t reachable = index_width < 32 ? std::uint64_t{1} << index_width : ~std::uint64_t{0};
    Table cut{table.width, table.entries};
    for (const base::BitVector& entry : cut.entries) {
        if (entry.size() != cut.width) fail(fmt::format("table of {} bits with another entry", cut.width));
    }
    if (cut.entries.size() > reachable) cut.entries.resize(reachable);
    // Beyond its end a table reads 0 anyway.
    while (!cut.entries.empty() && constants::all(cut.entries.back(), false)) cut.entries.pop_back();
    if (cut.entries.empty()) return constant(0, cut.width);
    if (cut.entries.size() == reachable &&
        std::ranges::all_of(cut.entries, [&](const auto& entry) { return entry == cut.entries.front(); })) {
        return constant(cut.entries.front());
    }
    if (is_constant(index)) {
        std::uint64_t value = 0;
        const bool inside = constant_value(index, value) && value < cut.entries.size();
        return inside ? constant(cut.entries[value]) : constant(0, cut.width);
    }
    std::uint64_t content = mix(cut.width, cut.entries.size());
    for (const base::BitVector& entry : cut.entries)
        content = mix(content, std::hash<base::BitVector>()(entry));
    const auto [begin, end] = known_tables_.equal_range(content);
    for (auto at = begin; at != end; ++at) {
        if (tables_[at->second].width == cut.width && tables_[at->second].entries == cut.entries)
            return make(WordOp::lookup, cut.width, {index}, at->second);
    }
    const auto number = static_cast<std::uint32_t>(tables_.size());
    known_tables_.emplace(content, number);
    const std::uint32_t table_width = cut.width;
    tables_.push_back(std::move(cut));
    return make(WordOp::lookup, table_width, {index}, number);
}

}  // namespace toroid::compiler
