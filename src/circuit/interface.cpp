// SPDX-License-Identifier: Apache-2.0
#include "circuit/interface.hpp"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "circuit/json_text.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

constexpr int format_version = 1;
constexpr std::uint32_t largest_width = std::uint32_t{1} << 24;

const Interface::Port* find_port(const std::vector<Interface::Port>& ports, std::string_view name) {
    const auto found = std::find_if(ports.begin(), ports.end(),
                                    [&](const Interface::Port& port) { return port.name == name; });
    return found == ports.end() ? nullptr : &*found;
}

// BLAKE2b over a sequence of length-prefixed fields, so that no two interfaces feed the same bytes.
class Hasher {
 public:
    Hasher() { crypto_generichash_init(&state_, nullptr, 0, sizeof(base::Fingerprint)); }
    void number(std::uint64_t value) {
        std::array<unsigned char, 8> bytes{};
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = static_cast<unsigned char>(value >> (8 * i));
        crypto_generichash_update(&state_, bytes.data(), bytes.size());
    }
    void text(std::string_view text) {
        number(text.size());
        crypto_generichash_update(&state_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    }
    void ports(const std::vector<Interface::Port>& ports) {
        number(ports.size());
        for (const Interface::Port& port : ports) {
            text(port.name);
            number(port.width);
            number(port.is_signed ? 1 : 0);
        }
    }
    [[nodiscard]] base::Fingerprint finish() {
        base::Fingerprint result{};
        crypto_generichash_final(&state_, reinterpret_cast<unsigned char*>(result.data()), result.size());
        return result;
    }

 private:
    crypto_generichash_state state_{};
};

std::string ports_to_json(const std::vector<Interface::Port>& ports) {
    std::string text = "[";
    for (const Interface::Port& port : ports) {
        if (&port != &ports.front()) text += ',';
        text += fmt::format("\n    {{\"name\": {}, \"width\": {}, \"signed\": {}}}", json_quoted(port.name),
                            port.width, port.is_signed);
    }
    return text + (ports.empty() ? "]" : "\n  ]");
}

// Takes fields out of one JSON object by name and type, and refuses what is left over.
class ObjectReader {
 public:
    ObjectReader(const nlohmann::json& object, std::string place)
        : object_(object), place_(std::move(place)) {
        if (!object.is_object()) fail("must be an object");
    }
    const nlohmann::json& member(const char* key, nlohmann::json::value_t type, const char* what) {
        const auto found = object_.find(key);
        if (found == object_.end()) fail(fmt::format("has no \"{}\"", key));
        if (found->type() != type) fail(fmt::format("\"{}\" must be {}", key, what));
        ++taken_;
        return *found;
    }
    std::string text(const char* key) {
        return member(key, nlohmann::json::value_t::string, "a string").get<std::string>();
    }
    bool flag(const char* key) {
        return member(key, nlohmann::json::value_t::boolean, "true or false").get<bool>();
    }
    std::uint64_t number(const char* key) {
        return member(key, nlohmann::json::value_t::number_unsigned, "a whole number").get<std::uint64_t>();
    }
    const nlohmann::json& array(const char* key) {
        return member(key, nlohmann::json::value_t::array, "an array");
    }
    void finish() const {
        if (taken_ != object_.size()) fail("has a field that this version does not know");
    }
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::format, fmt::format("{} {}", place_, message));
    }

 private:
    const nlohmann::json& object_;
    std::string place_;
    std::size_t taken_ = 0;
};

std::vector<Interface::Port> ports_from_json(const nlohmann::json& array, const std::string& place) {
    std::vector<Interface::Port> ports;
    std::unordered_set<std::string> names;
    for (const nlohmann::json& item : array) {
        ObjectReader reader(item, fmt::format("{}[{}]", place, ports.size()));
        Interface::Port port;
        port.name = reader.text("name");
        const std::uint64_t width = reader.number("width");
        if (width == 0 || width > largest_width) {
            reader.fail(fmt::format("has width {}; 1 to {} are allowed", width, largest_width));
        }
        port.width = static_cast<std::uint32_t>(width);
        port.is_signed = reader.flag("signed");
        reader.finish();
        if (!names.insert(port.name).second) reader.fail(fmt::format("repeats the name '{}'", port.name));
        ports.push_back(std::move(port));
    }
    return ports;
}

}  // namespace

const Interface::Port* Interface::find_input(std::string_view port_name) const {
    return find_port(inputs, port_name);
}

const Interface::Port* Interface::find_output(std::string_view port_name) const {
    return find_port(outputs, port_name);
}

base::Fingerprint Interface::fingerprint() const {
    Hasher hasher;
    hasher.text("toroid interface 1");
    hasher.ports(inputs);
    hasher.ports(outputs);
    return hasher.finish();
}

Interface interface_of(const Circuit& circuit) {
    Interface result;
    result.circuit_name = circuit.name;
    result.is_sequential = circuit.is_sequential();
    for (const InputPort& port : circuit.inputs) {
        result.inputs.push_back({port.name, static_cast<std::uint32_t>(port.signals.size()), port.is_signed});
    }
    for (const OutputPort& port : circuit.outputs) {
        result.outputs.push_back({port.name, static_cast<std::uint32_t>(port.bits.size()), port.is_signed});
    }
    return result;
}

std::string interface_to_json(const Interface& interface) {
    return fmt::format(
        "{{\n  \"toroid_interface\": {},\n  \"circuit\": {},\n  \"sequential\": {},\n  \"inputs\": {},\n  "
        "\"outputs\": "
        "{}\n}}\n",
        format_version, json_quoted(interface.circuit_name), interface.is_sequential,
        ports_to_json(interface.inputs), ports_to_json(interface.outputs));
}

Interface interface_from_json(std::string_view text, const std::string& source) {
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(text);
    } catch (const nlohmann::json::exception& error) {
        throw_json_error(source, error);
    }
    ObjectReader reader(document, source + ": the interface");
    const std::uint64_t version = reader.number("toroid_interface");
    if (version != format_version) {
        reader.fail(fmt::format("has version {}; this program reads version {}", version, format_version));
    }
    Interface result;
    result.circuit_name = reader.text("circuit");
    result.is_sequential = reader.flag("sequential");
    result.inputs = ports_from_json(reader.array("inputs"), source + ": inputs");
    result.outputs = ports_from_json(reader.array("outputs"), source + ": outputs");
    reader.finish();
    return result;
}

}  // namespace toroid::circuit
