// SPDX-License-Identifier: Apache-2.0
#include "circuit/json_text.hpp"

#include <fmt/format.h>

#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

constexpr int number_overflow = 406;  // nlohmann's id for a number beyond the range of double
constexpr std::size_t longest_message = 300;

}  // namespace

std::string json_quoted(std::string_view text) {
    try {
        return nlohmann::json(text).dump();
    } catch (const nlohmann::json::type_error&) {
        throw Error(ErrorKind::value,
                    fmt::format("the name '{}' is not UTF-8 and cannot be written as JSON", text));
    }
}

void throw_json_error(const std::string& source, const nlohmann::detail::exception& error) {
    std::string_view message = error.what();
    if (const auto end = message.find("] "); end != std::string_view::npos) message.remove_prefix(end + 2);
    std::string shown(message.substr(0, longest_message));
    if (shown.size() < message.size()) shown += "...";
    if (error.id == number_overflow) shown += " (write large integers as strings)";
    throw Error(ErrorKind::format, fmt::format("{}: {}", source, shown));
}

}  // namespace toroid::circuit
