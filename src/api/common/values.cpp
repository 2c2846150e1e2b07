// SPDX-License-Identifier: Apache-2.0
#include "toroid/values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/common/access.hpp"
#include "base/bit_vector.hpp"
#include "base/file.hpp"

namespace toroid {
namespace {

std::vector<circuit::Interface::Port> to_circuit(const std::vector<Port>& ports) {
    std::vector<circuit::Interface::Port> converted;
    converted.reserve(ports.size());
    for (const Port& port : ports) converted.push_back({port.name, port.width, port.is_signed});
    return converted;
}

}  // namespace

Values parse_values(std::string_view json, const std::vector<Port>& ports, Missing missing,
                    const std::string& source) {
    return circuit::values_from_json(json, to_circuit(ports), missing == Missing::allow, source);
}

Values parse_values(const std::vector<std::string>& items, const std::vector<Port>& ports, Missing missing) {
    return circuit::values_from_items(items, to_circuit(ports), missing == Missing::allow);
}

std::string format_values(const Values& values, const std::vector<Port>& ports) {
    return circuit::values_to_json(values, to_circuit(ports));
}

Bits to_bits(std::int64_t value, const Port& port) {
    return base::parse_bits(std::to_string(value), port.width, port.is_signed, port.name);
}

std::int64_t to_integer(const Bits& bits, bool is_signed) {
    const bool negative = is_signed && !bits.empty() && bits.back();
    std::uint64_t word = negative ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const std::size_t sign_from = 63;  // from here on every bit must repeat the sign
        if (i >= sign_from) {
            if (bits[i] != negative) {
                throw Error(ErrorKind::value,
                            fmt::format("a value of {} bits does not fit a 64-bit integer: {}", bits.size(),
                                        base::format_hex(bits)));
            }
            continue;
        }
        const std::uint64_t mask = std::uint64_t{1} << i;
        word = bits[i] ? word | mask : word & ~mask;
    }
    return static_cast<std::int64_t>(word);
}

std::string to_decimal(const Bits& bits, bool is_signed) {
    return base::format_decimal(bits, is_signed);
}

std::string to_hex(const Bits& bits) {
    return base::format_hex(bits);
}

namespace detail {

std::string read_text(const std::filesystem::path& path, std::uint64_t limit) {
    const std::vector<std::byte> bytes = base::read_file(path, limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_port_names(const std::vector<Port>& ports) {
    constexpr std::size_t longest_name = 4096;
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    for (std::size_t p = 0; p < ports.size(); ++p) {
        const std::string& name = ports[p].name;
        if (name.empty() || name.size() > longest_name || std::ranges::any_of(name, is_control)) {
            throw Error(
                ErrorKind::circuit,
                fmt::format(
                    "the name of port {} is empty, longer than {} bytes or has control characters, so "
                    "no ciphertext file can keep it",
                    p, longest_name));
        }
    }
}

void check_values(const Values& values, const std::vector<Port>& ports) {
    for (const auto& [name, steps] : values) {
        const auto port = std::ranges::find(ports, name, &Port::name);
        if (port == ports.end()) throw Error(ErrorKind::value, fmt::format("there is no input '{}'", name));
        if (steps.empty()) throw Error(ErrorKind::value, fmt::format("input '{}' has no value", name));
        for (const Bits& bits : steps) {
            if (bits.size() != port->width) {
                throw Error(ErrorKind::value, fmt::format("input '{}' is {} bits wide, its value has {}",
                                                          name, port->width, bits.size()));
            }
        }
    }
}

}  // namespace detail
}  // namespace toroid
