// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

std::unique_ptr<Backend> Registry::make(std::string_view name, const BackendOptions& options) const {
    const BackendEntry& entry = find(name);
    if (const std::string reason = entry.absence_reason(); !reason.empty()) {
        throw Error(ErrorKind::device, fmt::format("device '{}' is absent: {}", name, reason));
    }
    return entry.make(options);
}

}  // namespace toroid::backend
