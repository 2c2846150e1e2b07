// SPDX-License-Identifier: Apache-2.0
#include "backend/device_spec.hpp"

#include <fmt/format.h>

#include <charconv>

#include "toroid/error.hpp"

namespace toroid::backend {

DeviceSpec DeviceSpec::parse(std::string_view text) {
    const auto refuse = [&](std::string_view what) {
        throw Error(
            ErrorKind::usage,
            fmt::format("device '{}': {}; forms are NAME, NAME:0, NAME:0,1 and NAME:all", text, what));
    };
    const std::size_t colon = text.find(':');
    DeviceSpec spec;
    spec.name = text.substr(0, colon);
    if (spec.name.empty()) refuse("no name");
    if (colon == std::string_view::npos) return spec;
    std::string_view list = text.substr(colon + 1);
    if (list == "all") {
        spec.all = true;
        return spec;
    }
    for (;;) {
        const std::string_view item = list.substr(0, list.find(','));
        int index = 0;
        const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), index);
        if (error != std::errc() || end != item.data() + item.size() || index < 0) {
            refuse(fmt::format("'{}' is no device number", item));
        }
        spec.indices.push_back(index);
        if (item.size() == list.size()) return spec;
        list.remove_prefix(item.size() + 1);
    }
}

}  // namespace toroid::backend
