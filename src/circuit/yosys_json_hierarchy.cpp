// SPDX-License-Identifier: Apache-2.0
#include "circuit/yosys_json_hierarchy.hpp"

#include <fmt/format.h>

#include <unordered_set>

namespace toroid::circuit {
namespace {

// A few lines of hierarchy can stand for more cells than any memory holds.
constexpr std::uint64_t largest_flat_size = std::uint64_t{1} << 27;

}  // namespace

YosysHierarchy::YosysHierarchy(const std::vector<YosysModule>& modules, const YosysReporter& reporter)
    : reporter_(reporter) {
    for (const YosysModule& module : modules) {
        if (!module.is_blackbox) by_name_.emplace(module.name, &module);
    }
    choose_top(modules);
    check_size();
}

const YosysModule* YosysHierarchy::find(std::string_view type) const {
    const auto found = by_name_.find(type);
    return found == by_name_.end() ? nullptr : found->second;
}

void YosysHierarchy::choose_top(const std::vector<YosysModule>& modules) {
    std::unordered_set<std::string_view> instantiated;
    std::vector<const YosysModule*> marked;
    for (const YosysModule& module : modules) {
        if (module.is_blackbox) continue;
        if (module.is_top) marked.push_back(&module);
        for (const YosysCell& cell : module.cells) instantiated.insert(cell.type);
    }
    if (marked.empty()) {
        for (const YosysModule& module : modules) {
            if (!module.is_blackbox && !instantiated.contains(module.name)) marked.push_back(&module);
        }
    }
    if (marked.empty()) reporter_.fail("no module can be the top");
    if (marked.size() > 1) {
        reporter_.fail(fmt::format(
            "'{}' and '{}' could both be the top module; set the attribute \"top\" of one (in Yosys: "
            "hierarchy -top NAME)",
            marked[0]->name, marked[1]->name));
    }
    top_ = marked.front();
}

// Flat sizes from the leaves up, without recursion; a module met again on its own path contains itself.
void YosysHierarchy::check_size() const {
    enum class Mark : std::uint8_t { open, done };
    struct Visit {
        const YosysModule* module;
        std::size_t next_cell = 0;
        std::uint64_t size;
    };
    std::unordered_map<const YosysModule*, Mark> marks;
    std::unordered_map<const YosysModule*, std::uint64_t> sizes;
    const auto own_size = [](const YosysModule& module) { return module.cells.size() + module.net_count; };
    std::vector<Visit> path{{top_, 0, own_size(*top_)}};
    marks[top_] = Mark::open;
    while (!path.empty()) {
        Visit& visit = path.back();
        if (visit.next_cell == visit.module->cells.size()) {
            marks[visit.module] = Mark::done;
            sizes[visit.module] = visit.size;
            path.pop_back();
            continue;
        }
        const YosysCell& cell = visit.module->cells[visit.next_cell];
        const YosysModule* const child = find(cell.type);
        if (child == nullptr) {
            ++visit.next_cell;
            continue;
        }
        const auto mark = marks.find(child);
        if (mark == marks.end()) {
            marks[child] = Mark::open;
            path.push_back({child, 0, own_size(*child)});
            continue;
        }
        if (mark->second == Mark::open) {
            reporter_.fail(fmt::format("module '{}' contains itself: cell '{}' of module '{}'", child->name,
                                       cell.name, visit.module->name));
        }
        visit.size += sizes[child];
        ++visit.next_cell;
        if (visit.size > largest_flat_size) {
            reporter_.fail(fmt::format("module '{}' flattens to more than {} cells and nets",
                                       visit.module->name, largest_flat_size));
        }
    }
}

}  // namespace toroid::circuit
