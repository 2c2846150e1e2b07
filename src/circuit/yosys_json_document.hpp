// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::circuit {

/// A parsed JSON text in flat arrays: members keep their order, numbers their digits, and neither reading nor
/// destroying recurses, however deep the text nests.
class JsonDocument {
 public:
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

 private:
    static constexpr std::uint32_t none = 0xffffffff;
    struct Text {
        std::uint64_t offset = 0;
        std::uint64_t length = 0;
    };
    struct Node {
        Text key;
        Text text;
        std::uint32_t first_child = none;
        std::uint32_t next_sibling = none;
        std::uint32_t child_count = 0;
        Kind kind = Kind::null;
    };

 public:
    /// One value of the document; valid as long as the document.
    class Value {
     public:
        [[nodiscard]] Kind kind() const { return node().kind; }
        [[nodiscard]] bool is(Kind kind) const { return node().kind == kind; }
        /// The name of this member; empty for an element of an array.
        [[nodiscard]] std::string_view key() const { return document_->view(node().key); }
        /// A string's content, a number's digits, or "true" / "false".
        [[nodiscard]] std::string_view text() const { return document_->view(node().text); }
        [[nodiscard]] std::uint32_t size() const { return node().child_count; }
        /// The first member or element, and the next after this one.
        [[nodiscard]] std::optional<Value> first() const { return document_->value(node().first_child); }
        [[nodiscard]] std::optional<Value> next() const { return document_->value(node().next_sibling); }
        /// The member of this name, by linear search: for objects with few members.
        [[nodiscard]] std::optional<Value> find(std::string_view name) const;

     private:
        friend class JsonDocument;
        Value(const JsonDocument* document, std::uint32_t index) : document_(document), index_(index) {}
        [[nodiscard]] const Node& node() const { return document_->nodes_[index_]; }
        const JsonDocument* document_;
        std::uint32_t index_;
    };

    /// Error(format) with line and column for anything that is not JSON, and for a name used twice in an
    /// object.
    static JsonDocument parse(std::string_view text, const std::string& source);
    [[nodiscard]] Value root() const { return {this, 0}; }

 private:
    friend class JsonDocumentBuilder;
    [[nodiscard]] std::string_view view(Text text) const {
        return std::string_view(characters_).substr(text.offset, text.length);
    }
    [[nodiscard]] std::optional<Value> value(std::uint32_t index) const {
        if (index == none) return std::nullopt;
        return Value(this, index);
    }

    std::vector<Node> nodes_;
    std::string characters_;
};

}  // namespace toroid::circuit
