// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "backend/device_spec.hpp"
#include "backend/split_backend.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

std::string names(std::span<const BackendEntry> entries) {
    std::string out;
    for (const BackendEntry& entry : entries) {
        if (!out.empty()) out += ", ";
        out += entry.name;
        if (const std::string reason = entry.absence_reason(); !reason.empty()) {
            out += fmt::format(" (absent: {})", reason);
        }
    }
    return out;
}

/// Error(device) if the backend has no such device.
std::vector<int> chosen_devices(const BackendEntry& entry, const DeviceSpec& spec) {
    const std::vector<DeviceInfo> present =
        entry.devices != nullptr ? entry.devices() : std::vector<DeviceInfo>(1);
    std::vector<int> all;
    std::string list;
    for (const DeviceInfo& device : present) {
        all.push_back(device.index);
        list += fmt::format("{}{}:{}{}{}", list.empty() ? "" : ", ", entry.name, device.index,
                            device.name.empty() ? "" : " ", device.name);
    }
    if (spec.all) return all;
    for (const int index : spec.indices) {
        if (std::ranges::count(all, index) == 0) {
            throw Error(ErrorKind::device,
                        fmt::format("there is no device '{}:{}'; present: {}", entry.name, index, list));
        }
    }
    return spec.indices;
}

/// Of chosen[number], for reports.
std::string part_name(const BackendEntry& entry, const std::vector<int>& chosen, std::size_t number) {
    const int index = chosen[number];
    std::string name = fmt::format("{}:{}", entry.name, index);
    if (std::ranges::count(chosen, index) == 1) return name;
    const auto end = chosen.begin() + static_cast<std::ptrdiff_t>(number);
    return name + fmt::format("#{}", std::count(chosen.begin(), end, index) + 1);
}

}  // namespace

Registry::Registry(std::vector<BackendEntry> entries) : entries_(std::move(entries)) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        if (std::ranges::count(entries_, entries_[i].name, &BackendEntry::name) != 1) {
            throw Error(ErrorKind::internal, fmt::format("two backends are named {}", entries_[i].name));
        }
    }
}

const BackendEntry& Registry::find(std::string_view name) const {
    const auto found = std::ranges::find(entries_, name, &BackendEntry::name);
    if (found == entries_.end()) {
        throw Error(ErrorKind::device, fmt::format("unknown device '{}'; known: {}", name, names(entries_)));
    }
    return *found;
}

std::unique_ptr<Backend> Registry::make(std::string_view device, const BackendOptions& options) const {
    const DeviceSpec spec = DeviceSpec::parse(device);
    const BackendEntry& entry = find(spec.name);
    if (const std::string reason = entry.absence_reason(); !reason.empty()) {
        throw Error(ErrorKind::device, fmt::format("device '{}' is absent: {}", spec.name, reason));
    }
    BackendOptions one = options;
    one.device = -1;
    if (!spec.all && spec.indices.empty()) return entry.make(one);
    const std::vector<int> chosen = chosen_devices(entry, spec);
    std::vector<BackendPart> parts;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        one.device = chosen[i];
        parts.push_back({part_name(entry, chosen, i), entry.make(one)});
    }
    return parts.size() == 1 ? std::move(parts.front().backend) : make_split_backend(std::move(parts));
}

}  // namespace toroid::backend
