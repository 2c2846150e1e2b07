// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace toroid::circuit {

/// The text as a JSON string, quotes included. Error(value) if it is not UTF-8, which JSON cannot carry.
[[nodiscard]] std::string json_quoted(std::string_view text);

/// Throws Error(format) with the parser's own message, which has line and column, after "source: ".
[[noreturn]] void throw_json_error(const std::string& source, const nlohmann::detail::exception& error);

/// Base of our SAX handlers: refuses everything until overridden and reports syntax errors with their place.
/// Handlers rather than nlohmann's document type, because that one loses the digits of wide integers and
/// looks up members by linear search when it keeps their order.
class JsonHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
    explicit JsonHandler(std::string source) : source_(std::move(source)) {}
    bool binary(binary_t&) override { return false; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        throw_json_error(source_, error);
    }

 protected:
    [[nodiscard]] const std::string& source() const noexcept { return source_; }

 private:
    std::string source_;
};

}  // namespace toroid::circuit
