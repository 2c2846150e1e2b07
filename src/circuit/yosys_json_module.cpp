// SPDX-License-Identifier: Apache-2.0
#include "circuit/yosys_json_module.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using Value = JsonDocument::Value;
using Kind = JsonDocument::Kind;

std::optional<std::int64_t> integer(const Value& value) {
    const std::string_view text = value.text();
    std::int64_t result = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (!value.is(Kind::number) || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return result;
}

bool is_set(std::optional<Value> attribute) {
    if (!attribute) return false;
    const std::string_view text = attribute->text();
    return text != "false" && text.find_first_not_of('0') != std::string_view::npos;
}

class ModuleReader {
 public:
    ModuleReader(const Value& value, const std::string& source)
        : value_(value), place_(fmt::format("{}: module '{}'", source, value.key())) {
        if (!value.is(Kind::object)) fail("must be an object");
        module_.name = value.key();
    }

    YosysModule read() {
        if (const auto attributes = object(value_, "attributes")) {
            module_.is_top = is_set(attributes->find("top"));
            module_.is_blackbox =
                is_set(attributes->find("blackbox")) || is_set(attributes->find("whitebox"));
        }
        if (const auto memories = object(value_, "memories")) module_.has_memories = memories->size() != 0;
        if (const auto ports = object(value_, "ports")) {
            for (auto port = ports->first(); port; port = port->next()) read_port(*port);
        }
        if (const auto cells = object(value_, "cells")) {
            module_.cells.reserve(cells->size());
            for (auto cell = cells->first(); cell; cell = cell->next()) read_cell(*cell);
        }
        if (const auto names = object(value_, "netnames")) {
            for (auto name = names->first(); name; name = name->next()) read_net_name(*name);
        }
        module_.net_count = static_cast<std::uint32_t>(nets_.size()) + first_module_net;
        return std::move(module_);
    }

 private:
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::circuit, fmt::format("{}: {}", place_, message));
    }

    [[nodiscard]] std::optional<Value> object(const Value& parent, std::string_view name) const {
        const auto member = parent.find(name);
        if (member && !member->is(Kind::object)) fail(fmt::format("\"{}\" must be an object", name));
        return member;
    }

    std::vector<ModuleNet> read_bits(std::optional<Value> bits, const std::string& what) {
        if (!bits || !bits->is(Kind::array)) fail(what + ": the bits must be an array");
        std::vector<ModuleNet> result;
        result.reserve(bits->size());
        for (auto bit = bits->first(); bit; bit = bit->next()) {
            result.push_back(read_bit(*bit, fmt::format("{}, bit {}", what, result.size())));
        }
        return result;
    }

    ModuleNet read_bit(const Value& bit, const std::string& what) {
        if (bit.is(Kind::string)) {
            constexpr std::string_view constants = "01xz";
            const std::string_view text = bit.text();
            const std::size_t constant = text.size() == 1 ? constants.find(text) : std::string_view::npos;
            if (constant == std::string_view::npos) {
                fail(fmt::format(R"({}: "{}" is no constant; "0", "1", "x" and "z" are)", what, text));
            }
            return static_cast<ModuleNet>(constant);
        }
        const auto number = integer(bit);
        if (!number || *number < 0) fail(what + ": must be a net number or a constant");
        return nets_.try_emplace(*number, static_cast<ModuleNet>(nets_.size()) + first_module_net)
            .first->second;
    }

    void read_wire(const Value& value, YosysWire& wire, const std::string& what) {
        if (!value.is(Kind::object)) fail(what + ": must be an object");
        wire.name = value.key();
        wire.bits = read_bits(value.find("bits"), what);
        if (const auto offset = value.find("offset")) {
            const auto number = integer(*offset);
            // Yosys numbers bits with 32-bit integers.
            if (!number || *number != static_cast<std::int32_t>(*number)) fail(what + ": bad \"offset\"");
            wire.offset = *number;
        }
        wire.upto = is_set(value.find("upto"));
    }

    void read_port(const Value& value) {
        const std::string what = fmt::format("port '{}'", value.key());
        YosysPort port;
        read_wire(value, port, what);
        const auto direction = value.find("direction");
        const std::string_view text = direction ? direction->text() : "";
        if (text == "input") {
            port.direction = YosysPort::Direction::input;
        } else if (text == "output") {
            port.direction = YosysPort::Direction::output;
        } else if (text == "inout") {
            port.direction = YosysPort::Direction::inout;
        } else {
            fail(what + R"(: "direction" must be "input", "output" or "inout")");
        }
        port.is_signed = is_set(value.find("signed"));
        module_.ports.push_back(std::move(port));
    }

    void read_cell(const Value& value) {
        const std::string what = fmt::format("cell '{}'", value.key());
        if (!value.is(Kind::object)) fail(what + ": must be an object");
        YosysCell cell;
        cell.name = value.key();
        const auto type = value.find("type");
        if (!type || !type->is(Kind::string)) fail(what + ": has no \"type\"");
        cell.type = type->text();
        if (const auto attributes = object(value, "attributes")) {
            if (const auto src = attributes->find("src")) cell.source_place = src->text();
        }
        cell.parameters = object(value, "parameters");
        const auto connections = object(value, "connections");
        if (!connections) fail(what + ": has no \"connections\"");
        for (auto connection = connections->first(); connection; connection = connection->next()) {
            cell.connections.push_back(
                {connection->key(),
                 read_bits(connection, fmt::format("{}, port {}", what, connection->key()))});
        }
        module_.cells.push_back(std::move(cell));
    }

    void read_net_name(const Value& value) {
        const std::string what = fmt::format("net '{}'", value.key());
        YosysNetName name;
        read_wire(value, name, what);
        name.hidden = is_set(value.find("hide_name"));
        if (const auto attributes = object(value, "attributes")) {
            if (const auto init = attributes->find("init")) {
                const auto bits = yosys_bit_string(*init);
                if (!bits) fail(what + ": \"init\" must be a string of bits");
                name.init = *bits;
            }
        }
        module_.net_names.push_back(std::move(name));
    }

    Value value_;
    std::string place_;
    YosysModule module_;
    std::unordered_map<std::int64_t, ModuleNet> nets_;
};

}  // namespace

std::string YosysWire::bit_name(std::size_t bit) const {
    if (bits.size() == 1 && offset == 0) return name;
    const auto position = static_cast<std::int64_t>(upto ? bits.size() - 1 - bit : bit);
    return fmt::format("{}[{}]", name, offset + position);
}

const YosysConnection* YosysCell::find(std::string_view port) const {
    const auto found =
        std::find_if(connections.begin(), connections.end(),
                     [&](const YosysConnection& connection) { return connection.port == port; });
    return found == connections.end() ? nullptr : &*found;
}

const YosysPort* YosysModule::find_port(std::string_view port) const {
    const auto found = std::find_if(ports.begin(), ports.end(),
                                    [&](const YosysPort& candidate) { return candidate.name == port; });
    return found == ports.end() ? nullptr : &*found;
}

std::vector<YosysModule> read_yosys_modules(const JsonDocument& document, const std::string& source) {
    const Value root = document.root();
    const auto modules = root.is(Kind::object) ? root.find("modules") : std::nullopt;
    if (!modules || !modules->is(Kind::object)) {
        throw Error(ErrorKind::circuit,
                    fmt::format("{}: is no Yosys netlist: it has no \"modules\" object", source));
    }
    std::vector<YosysModule> result;
    for (auto module = modules->first(); module; module = module->next()) {
        result.push_back(ModuleReader(*module, source).read());
    }
    return result;
}

std::optional<std::string> yosys_bit_string(const Value& value) {
    if (value.is(Kind::string)) {
        // Yosys marks a text that looks like bits by a trailing blank; trailing blanks carry no bit.
        std::string text(value.text().substr(0, value.text().find_last_not_of(' ') + 1));
        if (text.find_first_not_of("01xz") != std::string::npos) return std::nullopt;
        return text;
    }
    const auto number = integer(value);
    if (!number) return std::nullopt;
    std::string text;
    for (auto rest = static_cast<std::uint64_t>(*number); rest != 0; rest >>= 1)
        text += (rest & 1) != 0 ? '1' : '0';
    std::reverse(text.begin(), text.end());
    return text.empty() ? "0" : text;
}

}  // namespace toroid::circuit
