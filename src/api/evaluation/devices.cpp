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

std::vector<Card> cards_of(const backend::BackendEntry& entry, unsigned threads) {
    std::vector<Card> cards;
    for (backend::DeviceInfo& found : entry.devices()) {
        Card card;
        card.name = fmt::format("{}:{}", entry.name, found.index);
        card.model = std::move(found.name);
        card.architecture = std::move(found.architecture);
        card.memory_bytes = found.memory_bytes;
        card.transform = std::move(found.transform);
        card.transform_reason = std::move(found.transform_reason);
        card.shapes = std::move(found.shapes);
        try {
            backend::BackendOptions options{threads};
            options.device = found.index;
            (void)entry.make(options);
        } catch (const Error& error) {
            card.unusable_reason = error.what();
        }
        cards.push_back(std::move(card));
    }
    return cards;
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
        if (entry.devices != nullptr) device.cards = cards_of(entry, threads);
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
