// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "api/evaluation/backend_table.hpp"
#include "api/evaluation/device_choice.hpp"
#include "backend/registry.hpp"

namespace toroid {
namespace {

backend::Transform backend_transform(Transform transform) {
    switch (transform) {
        case Transform::fft:
            return backend::Transform::fft;
        case Transform::ntt:
            return backend::Transform::ntt;
        case Transform::automatic:
            break;
    }
    return backend::Transform::automatic;
}

}  // namespace

std::vector<Device> devices(unsigned threads) {
    std::vector<Device> found;
    for (const backend::BackendEntry& entry : api::backend_table().entries()) {
        Device device;
        device.name = entry.name;
        device.absence_reason = entry.absence_reason();
        device.present = device.absence_reason.empty();
        if (device.present) device.description = entry.make({threads})->description();
        found.push_back(std::move(device));
    }
    return found;
}

namespace detail {

std::unique_ptr<backend::Backend> make_device(const DeviceChoice& choice,
                                              const scheme::Parameters& parameters) {
    const backend::Registry& table = api::backend_table();
    const backend::BackendOptions options{choice.threads, backend_transform(choice.transform)};
    if (choice.name != "auto") {
        std::unique_ptr<backend::Backend> device = table.make(choice.name, options);
        if (const std::string reason = device->unsupported_reason(parameters); !reason.empty()) {
            throw Error(ErrorKind::parameters, fmt::format("device '{}' cannot run parameter set {}: {}",
                                                           choice.name, parameters.name(), reason));
        }
        return device;
    }
    std::string reasons;
    for (const backend::BackendEntry& entry : table.entries()) {
        std::string reason = entry.absence_reason();
        if (reason.empty()) {
            std::unique_ptr<backend::Backend> device = entry.make(options);
            reason = device->unsupported_reason(parameters);
            if (reason.empty()) return device;
        }
        reasons += fmt::format("; {}: {}", entry.name, reason);
    }
    throw Error(ErrorKind::device, fmt::format("no device of this machine can run parameter set {}{}",
                                               parameters.name(), reasons));
}

}  // namespace detail
}  // namespace toroid
