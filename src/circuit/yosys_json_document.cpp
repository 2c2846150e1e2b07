// SPDX-License-Identifier: Apache-2.0
#include "circuit/yosys_json_document.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "circuit/json_text.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {

class JsonDocumentBuilder : public JsonHandler {
 public:
    using Kind = JsonDocument::Kind;
    JsonDocumentBuilder(JsonDocument& document, const std::string& source)
        : JsonHandler(source), document_(document) {}

    bool null() override { return leaf(Kind::null, ""); }
    bool boolean(bool value) override { return leaf(Kind::boolean, value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return leaf(Kind::number, std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override {
        return leaf(Kind::number, std::to_string(value));
    }
    bool number_float(number_float_t, const string_t& text) override { return leaf(Kind::number, text); }
    bool string(string_t& text) override { return leaf(Kind::string, text); }
    bool start_object(std::size_t) override { return open(Kind::object); }
    bool end_object() override {
        check_keys();
        return close();
    }
    bool start_array(std::size_t) override { return open(Kind::array); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        key_ = store(name);
        return true;
    }

 private:
    struct Open {
        std::uint32_t node;
        std::uint32_t last_child;
    };

    JsonDocument::Text store(std::string_view text) {
        const JsonDocument::Text stored{document_.characters_.size(), text.size()};
        document_.characters_ += text;
        return stored;
    }

    std::uint32_t append(Kind kind) {
        if (document_.nodes_.size() >= JsonDocument::none) {
            throw Error(ErrorKind::format, fmt::format("{}: more than 2^32 JSON values", source()));
        }
        const auto index = static_cast<std::uint32_t>(document_.nodes_.size());
        document_.nodes_.emplace_back().kind = kind;
        if (open_.empty()) return index;
        Open& parent = open_.back();
        JsonDocument::Node& parent_node = document_.nodes_[parent.node];
        if (parent_node.kind == Kind::object) document_.nodes_[index].key = key_;
        if (parent_node.child_count++ == 0) {
            parent_node.first_child = index;
        } else {
            document_.nodes_[parent.last_child].next_sibling = index;
        }
        parent.last_child = index;
        return index;
    }

    bool leaf(Kind kind, std::string_view text) {
        const std::uint32_t index = append(kind);
        document_.nodes_[index].text = store(text);
        return true;
    }
    bool open(Kind kind) {
        open_.push_back({append(kind), JsonDocument::none});
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    // JSON leaves the meaning of a repeated name open; a netlist with one has lost a cell or a net.
    void check_keys() {
        std::vector<std::string_view> keys;
        for (std::uint32_t child = document_.nodes_[open_.back().node].first_child;
             child != JsonDocument::none; child = document_.nodes_[child].next_sibling) {
            keys.push_back(document_.view(document_.nodes_[child].key));
        }
        std::sort(keys.begin(), keys.end());
        const auto repeated = std::adjacent_find(keys.begin(), keys.end());
        if (repeated != keys.end()) {
            throw Error(ErrorKind::format,
                        fmt::format("{}: the name \"{}\" stands twice in one object", source(), *repeated));
        }
    }

    JsonDocument& document_;
    std::vector<Open> open_;
    JsonDocument::Text key_;
};

std::optional<JsonDocument::Value> JsonDocument::Value::find(std::string_view name) const {
    for (auto member = first(); member; member = member->next()) {
        if (member->key() == name) return member;
    }
    return std::nullopt;
}

JsonDocument JsonDocument::parse(std::string_view text, const std::string& source) {
    JsonDocument document;
    JsonDocumentBuilder builder(document, source);
    nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
    return document;
}

}  // namespace toroid::circuit
