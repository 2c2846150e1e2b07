// SPDX-License-Identifier: Apache-2.0
// Values by port name as JSON and as name=value items.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "circuit/interface.hpp"
#include "circuit/json_text.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using Port = Interface::Port;

// A short text may ask for many bits: a limit far above any use keeps a hostile one from filling the memory.
constexpr std::uint64_t largest_bit_count = std::uint64_t{1} << 32;

// The largest integer that every JSON reader keeps exact (2^53 - 1).
constexpr std::string_view largest_json_integer = "9007199254740991";

class ValueCollector {
 public:
    ValueCollector(const std::vector<Port>& ports, std::string source)
        : source_(std::move(source)), ports_(ports) {
        for (const Port& port : ports) by_name_.emplace(port.name, &port);
    }

    /// Starts the values of a port, which must exist and be new.
    void begin(const std::string& name) {
        const auto found = by_name_.find(name);
        if (found == by_name_.end()) fail(fmt::format("there is no port '{}'{}", name, known_names()));
        port_ = found->second;
        const auto [entry, is_new] = values_.try_emplace(name);
        if (!is_new) fail(fmt::format("port '{}' is given twice", name));
        steps_ = &entry->second;
    }

    void add(std::string_view text) {
        bits_ += port_->width;
        if (bits_ > largest_bit_count) fail(fmt::format("more than {} bits of values", largest_bit_count));
        steps_->push_back(base::parse_bits(text, port_->width, port_->is_signed, what()));
    }

    void end() {
        if (steps_->empty()) fail(fmt::format("port '{}' has an empty list of values", port_->name));
    }

    [[nodiscard]] Values finish(bool allow_missing) {
        if (!allow_missing) {
            std::string missing;
            for (const Port& port : ports_) {
                if (!values_.contains(port.name))
                    missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", port.name);
            }
            if (!missing.empty()) fail("no value for " + missing);
        }
        return std::move(values_);
    }

    [[nodiscard]] const std::string& port_name() const { return port_->name; }
    [[noreturn]] void fail(const std::string& message) const {
        throw Error(ErrorKind::value, source_.empty() ? message : source_ + ": " + message);
    }

 private:
    [[nodiscard]] std::string what() const {
        const std::string port = fmt::format("port '{}'", port_->name);
        return source_.empty() ? port : source_ + ": " + port;
    }
    [[nodiscard]] std::string known_names() const {
        constexpr std::size_t most_shown = 12;
        if (ports_.empty()) return "; there are none";
        std::string names = "; there are";
        for (std::size_t i = 0; i < std::min(ports_.size(), most_shown); ++i)
            names += fmt::format(" '{}'", ports_[i].name);
        return names + (ports_.size() > most_shown ? " ..." : "");
    }

    std::string source_;
    const std::vector<Port>& ports_;
    std::unordered_map<std::string_view, const Port*> by_name_;
    Values values_;
    const Port* port_ = nullptr;
    std::vector<base::BitVector>* steps_ = nullptr;
    std::uint64_t bits_ = 0;
};

class ValuesHandler : public JsonHandler {
 public:
    ValuesHandler(ValueCollector& collector, std::string source)
        : JsonHandler(std::move(source)), collector_(collector) {}

    bool null() override { return refuse("null"); }
    bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
    bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
    // Integers beyond 64 bits arrive here too, with all their digits.
    bool number_float(number_float_t, const string_t& text) override {
        const bool is_integer =
            text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0) == string_t::npos;
        return is_integer ? scalar(text) : refuse(text + ", which is not a whole number,");
    }
    bool string(string_t& text) override { return scalar(text); }

    bool start_object(std::size_t) override {
        if (in_object_) return refuse("an object");
        in_object_ = true;
        return true;
    }
    bool key(string_t& name) override {
        collector_.begin(name);
        return true;
    }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override {
        if (!in_object_) refuse("a list");
        if (in_array_) refuse("a list inside a list");
        in_array_ = true;
        return true;
    }
    bool end_array() override {
        in_array_ = false;
        collector_.end();
        return true;
    }

 private:
    bool scalar(std::string_view text) {
        if (!in_object_) return refuse("a single value");
        collector_.add(text);
        return true;
    }
    [[noreturn]] bool refuse(const std::string& what) {
        if (!in_object_)
            throw Error(ErrorKind::value, source() + ": must be an object {\"port\": value, ...}");
        collector_.fail(fmt::format(
            "port '{}': {} is no value; write a whole number, a string with one, true, false, or a "
            "list of these, one a cycle",
            collector_.port_name(), what));
    }

    ValueCollector& collector_;
    bool in_object_ = false;
    bool in_array_ = false;
};

std::string value_to_json(const base::BitVector& bits, bool is_signed) {
    const std::string text = base::format_decimal(bits, is_signed);
    const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
    const bool fits = digits.size() < largest_json_integer.size() ||
                      (digits.size() == largest_json_integer.size() && digits <= largest_json_integer);
    return fits ? text : '"' + text + '"';
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const std::size_t first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

Values values_from_json(std::string_view json, const std::vector<Port>& ports, bool allow_missing,
                        const std::string& source) {
    ValueCollector collector(ports, source);
    ValuesHandler handler(collector, source);
    nlohmann::json::sax_parse(json.begin(), json.end(), &handler);
    return collector.finish(allow_missing);
}

Values values_from_items(const std::vector<std::string>& items, const std::vector<Port>& ports,
                         bool allow_missing) {
    ValueCollector collector(ports, "");
    for (const std::string& item : items) {
        // The last '=': a name may hold one, a value never does.
        const std::size_t equals = item.rfind('=');
        if (equals == std::string::npos || equals == 0)
            collector.fail(fmt::format("'{}' is not of the form name=value", item));
        collector.begin(std::string(trimmed(std::string_view(item).substr(0, equals))));
        std::string_view rest = std::string_view(item).substr(equals + 1);
        for (;;) {
            const std::size_t comma = rest.find(',');
            collector.add(trimmed(rest.substr(0, comma)));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    }
    return collector.finish(allow_missing);
}

std::string values_to_json(const Values& values, const std::vector<Port>& ports) {
    std::string text;
    std::size_t written = 0;
    for (const Port& port : ports) {
        const auto found = values.find(port.name);
        if (found == values.end()) continue;
        ++written;
        text += fmt::format("{}\n  {}: ", text.empty() ? "" : ",", json_quoted(port.name));
        const std::vector<base::BitVector>& steps = found->second;
        if (steps.size() != 1) text += '[';
        for (const base::BitVector& bits : steps) {
            if (bits.size() != port.width) {
                throw Error(ErrorKind::value, fmt::format("port '{}': a value of {} bits for a width of {}",
                                                          port.name, bits.size(), port.width));
            }
            if (&bits != &steps.front()) text += ", ";
            text += value_to_json(bits, port.is_signed);
        }
        if (steps.size() != 1) text += ']';
    }
    if (written != values.size()) {
        const auto unknown = std::find_if(values.begin(), values.end(), [&](const auto& entry) {
            return std::none_of(ports.begin(), ports.end(),
                                [&](const Port& port) { return port.name == entry.first; });
        });
        throw Error(ErrorKind::value, fmt::format("there is no port '{}'", unknown->first));
    }
    return text.empty() ? "{}\n" : "{" + text + "\n}\n";
}

}  // namespace toroid::circuit
