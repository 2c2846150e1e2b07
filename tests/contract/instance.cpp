// SPDX-License-Identifier: Apache-2.0
#include "contract/instance.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "api/evaluation/backend_table.hpp"
#include "contract/key_cache.hpp"
#include "toroid/error.hpp"

namespace toroid::tests {

std::ostream& operator<<(std::ostream& out, const Instance& instance) {
    return out << instance.backend << " with " << instance.parameters.name();
}

std::string instance_name(const testing::TestParamInfo<Instance>& info) {
    std::string name = info.param.backend + "_" + info.param.parameters.name();
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    return name;
}

scheme::Parameters reduced(const scheme::Parameters& parameters, int n) {
    scheme::ParametersLiteral literal = parameters.literal();
    literal.lwe.dimension = (n + parameters.block() - 1) / parameters.block() * parameters.block();
    literal.name += "-n" + std::to_string(literal.lwe.dimension);
    literal.purpose = "test";
    literal.security.clear();
    return scheme::Parameters(literal);
}

std::string backend_of(const std::string& device) {
    return device.substr(0, device.find_first_of(":+"));
}

std::string devices_without_transform(const std::string& device) {
    return device.substr(0, device.find('+'));
}

backend::Transform transform_of(const std::string& device) {
    const std::size_t plus = device.find('+');
    return plus == std::string::npos ? backend::Transform::automatic
                                     : backend::transform_named(device.substr(plus + 1));
}

int devices_of(const std::string& device) {
    return 1 + static_cast<int>(std::ranges::count(device, ','));
}

namespace {

/// Cases of a backend that this build lacks would say nothing, unless it is expected.
bool worth_listing(const backend::BackendEntry& entry) {
    return entry.make != nullptr || is_expected(std::string(entry.name));
}

std::vector<std::string> listed_devices() {
    std::vector<std::string> devices;
    const char* text = std::getenv("TOROID_TEST_DEVICES");
    std::istringstream list(text == nullptr ? "" : text);
    for (std::string device; list >> device;) devices.push_back(device);
    return devices;
}

/// Those of the environment, else every backend.
std::vector<std::string> test_devices() {
    std::vector<std::string> devices = listed_devices();
    if (!devices.empty()) return devices;
    for (const backend::BackendEntry& entry : api::backend_table().entries()) {
        if (worth_listing(entry)) devices.emplace_back(entry.name);
    }
    return devices;
}

}  // namespace

std::vector<Instance> reduced_instances(int n) {
    std::vector<Instance> out;
    for (const std::string& device : test_devices()) {
        for (const scheme::Parameters& set : scheme::named_parameters())
            out.push_back({device, reduced(set, n)});
    }
    if (!listed_devices().empty()) return out;
    for (const char* set : {"tfhe128-fast", "tfhers-default-ks-pbs"})
        out.push_back({"cpu:0,0", reduced(scheme::named_parameters(set), n)});
    for (const scheme::Parameters& set : scheme::named_parameters())
        out.push_back({"cpu+ntt", reduced(set, n)});
    return out;
}

std::vector<Instance> full_instances(const std::vector<std::string>& sets) {
    std::vector<Instance> out;
    for (const std::string& device : test_devices()) {
        if (backend_of(device) == "reference") continue;
        for (const std::string& set : sets) out.push_back({device, scheme::named_parameters(set)});
    }
    return out;
}

namespace {

std::vector<std::string> all_names() {
    std::vector<std::string> names;
    for (const scheme::Parameters& set : scheme::named_parameters()) names.push_back(set.name());
    return names;
}

}  // namespace

std::vector<Instance> full_instances() {
    return full_instances(all_names());
}

std::vector<Instance> reference_instances() {
    std::vector<Instance> out;
    for (const scheme::Parameters& set : scheme::named_parameters()) out.push_back({"reference", set});
    return out;
}

std::vector<std::string> expected_backends() {
    std::vector<std::string> names;
    const char* text = std::getenv("TOROID_EXPECT_BACKENDS");
    std::istringstream list(text == nullptr ? "" : text);
    for (std::string name; std::getline(list, name, ',');) {
        if (!name.empty()) names.push_back(name);
    }
    return names;
}

bool is_expected(const std::string& device) {
    return std::ranges::count(expected_backends(), backend_of(device)) != 0;
}

std::string absence_reason(const Instance& instance) {
    const std::string reason = api::backend_table().find(backend_of(instance.backend)).absence_reason();
    if (!reason.empty()) return reason;
    try {
        return test_backend(instance.backend).unsupported_reason(instance.parameters);
    } catch (const Error& error) {
        // Another card than there is.
        if (error.kind() != ErrorKind::device) throw;
        return error.what();
    }
}

}  // namespace toroid::tests
