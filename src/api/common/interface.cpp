// SPDX-License-Identifier: Apache-2.0
#include "toroid/interface.hpp"

#include "api/common/access.hpp"
#include "base/file.hpp"

namespace toroid {
namespace {

constexpr std::uint64_t largest_file = std::uint64_t{1} << 26;

std::vector<Port> to_public(const std::vector<circuit::Interface::Port>& ports) {
    std::vector<Port> converted;
    converted.reserve(ports.size());
    for (const auto& port : ports) converted.push_back({port.name, port.width, port.is_signed});
    return converted;
}

}  // namespace

Interface::Interface(std::shared_ptr<const State> state) : state_(std::move(state)) {}

Interface detail::Access::wrap(circuit::Interface interface) {
    std::vector<Port> inputs = to_public(interface.inputs);
    std::vector<Port> outputs = to_public(interface.outputs);
    return Interface(std::make_shared<const Interface::State>(
        Interface::State{std::move(interface), std::move(inputs), std::move(outputs)}));
}

Interface Interface::from_json(std::string_view text, const std::string& source) {
    return detail::Access::wrap(circuit::interface_from_json(text, source));
}

Interface Interface::load(const std::filesystem::path& path) {
    return from_json(detail::read_text(path, largest_file), path.string());
}

const std::string& Interface::circuit_name() const noexcept {
    return state_->interface.circuit_name;
}
const std::vector<Port>& Interface::inputs() const noexcept {
    return state_->inputs;
}
const std::vector<Port>& Interface::outputs() const noexcept {
    return state_->outputs;
}
bool Interface::is_sequential() const noexcept {
    return state_->interface.is_sequential;
}
std::string Interface::fingerprint() const {
    return base::hex(state_->interface.fingerprint());
}
std::string Interface::to_json() const {
    return circuit::interface_to_json(state_->interface);
}
void Interface::save(const std::filesystem::path& path) const {
    base::write_file(path, to_json(), base::FileMode::ordinary);
}

}  // namespace toroid
