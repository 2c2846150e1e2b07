// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "circuit/yosys_json_netlist.hpp"

namespace toroid::circuit {

/// Modules by name, without those that the file declares as black boxes.
class YosysHierarchy {
 public:
    YosysHierarchy(const std::vector<YosysModule>& modules, const YosysReporter& reporter);

    [[nodiscard]] const YosysModule& top() const noexcept { return *top_; }
    /// The module that a cell of this type instantiates, or null.
    [[nodiscard]] const YosysModule* find(std::string_view type) const;

 private:
    void choose_top(const std::vector<YosysModule>& modules);
    void check_size() const;

    const YosysReporter& reporter_;
    std::unordered_map<std::string_view, const YosysModule*> by_name_;
    const YosysModule* top_ = nullptr;
};

}  // namespace toroid::circuit
