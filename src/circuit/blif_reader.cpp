// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "circuit/blif_model.hpp"

namespace toroid::circuit {
namespace {

using NetId = std::uint32_t;

/// A hierarchy may double with every level; what it may grow to is bounded by this or by the file itself.
constexpr std::uint64_t largest_expansion = std::uint64_t{1} << 24;

class BlifFlattener {
 public:
    BlifFlattener(const NetlistText& text, std::vector<BlifModel> models)
        : text_(text), models_(std::move(models)), graph_(text) {
        for (std::uint32_t i = 0; i < models_.size(); ++i) index_.emplace(models_[i].name, i);
    }

    Circuit flatten() {
        for (BlifModel& model : models_) {
            map_library_gates(model);
            check_ports(model);
        }
        const std::uint32_t top = find_top();
        check_size(top);
        expand(top);
        const std::string_view name = models_[top].name;
        return graph_.build(name.empty() ? stem_of(text_.source()) : std::string(name));
    }

 private:
    /// Instances of models stay; those of library gates become logic.
    void map_library_gates(BlifModel& model) {
        std::vector<BlifModel::Instance> kept;
        for (BlifModel::Instance& instance : model.instances) {
            if (const auto found = index_.find(instance.model); found != index_.end()) {
                if (models_[found->second].is_black_box) {
                    text_.fail(instance.line, fmt::format("model {} is a black box: it has no contents",
                                                          shown(instance.model)));
                }
                kept.push_back(std::move(instance));
                continue;
            }
            std::vector<std::pair<std::string_view, NetId>> inputs;
            std::vector<NetId> outputs;
            for (const auto& pin : instance.pins) {
                if (is_output_pin(pin.first)) {
                    outputs.push_back(pin.second);
                } else {
                    inputs.push_back(pin);
                }
            }
            const auto gate = find_library_gate(instance.model, inputs.size());
            if (!gate || outputs.size() != 1) {
                const std::string_view net = outputs.empty() ? std::string_view("?") : model.nets[outputs[0]];
                text_.fail(instance.line,
                           fmt::format("no model {}, and it is no known gate with {} inputs and {} "
                                       "outputs (instance driving {})",
                                       shown(instance.model), inputs.size(), outputs.size(), shown(net)));
            }
            std::ranges::sort(inputs);
            BlifModel::Logic logic{gate->kind, {}, outputs[0], {}, false, instance.line};
            for (const auto& pin : inputs) logic.inputs.push_back(pin.second);
            model.logic.push_back(std::move(logic));
        }
        model.instances = std::move(kept);
    }

    void check_ports(const BlifModel& model) const {
        std::vector<std::uint8_t> is_input(model.nets.size(), 0);
        for (const auto& port : model.inputs) {
            if (is_input[port.net] != 0) {
                text_.fail(port.line, fmt::format("input {} is listed twice", shown(model.nets[port.net])));
            }
            is_input[port.net] = 1;
        }
        const auto check = [&](NetId net, std::uint32_t line) {
            if (is_input[net] != 0) {
                text_.fail(line, fmt::format("net {} has two drivers; the other is an input",
                                             shown(model.nets[net])));
            }
        };
        for (const auto& logic : model.logic) check(logic.output, logic.line);
        for (const auto& latch : model.latches) check(latch.output, latch.line);
    }

    /// The first model, as BLIF has it; but Yosys writes modules in any order, so if others use it, the one
    /// that nobody uses.
    [[nodiscard]] std::uint32_t find_top() const {
        std::vector<std::uint8_t> used(models_.size(), 0);
        for (const BlifModel& model : models_) {
            for (const auto& instance : model.instances) used[index_.at(instance.model)] = 1;
        }
        if (used[0] == 0) return 0;
        const auto free = static_cast<std::size_t>(std::ranges::count(used, 0));
        if (free == 1) return static_cast<std::uint32_t>(std::ranges::find(used, 0) - used.begin());
        return 0;
    }

    void check_size(std::uint32_t top) const {
        const TopologicalOrder sorted = topological_order(
            static_cast<std::uint32_t>(models_.size()),
            [&](std::uint32_t model) { return static_cast<std::uint32_t>(models_[model].instances.size()); },
            [&](std::uint32_t model, std::uint32_t i) {
                return index_.at(models_[model].instances[i].model);
            });
        if (!sorted.cycle.empty()) {
            const BlifModel& model = models_[sorted.cycle.front()];
            text_.fail(model.line, fmt::format("model {} contains itself", shown(model.name)));
        }
        std::uint64_t in_file = 0;
        std::vector<std::uint64_t> size(models_.size(), 0);
        for (const std::uint32_t index : sorted.order) {
            const BlifModel& model = models_[index];
            const std::uint64_t own = 1 + model.nets.size() + model.logic.size() + model.latches.size();
            in_file += own;
            size[index] = own;
            for (const auto& instance : model.instances) {
                size[index] = std::min(size[index] + size[index_.at(instance.model)], std::uint64_t{1} << 60);
            }
        }
        if (size[top] > std::max(largest_expansion, in_file)) {
            text_.fail(
                models_[top].line,
                fmt::format("model {} grows to {} nets and gates when its hierarchy is "
                            "flattened (limit {})",
                            shown(models_[top].name), size[top], std::max(largest_expansion, in_file)));
        }
    }

    struct Work {
        std::uint32_t model;
        std::vector<NetId> nets;  ///< graph net by local net, no_node where it is local
        std::string path;
    };

    void expand(std::uint32_t top) {
        std::vector<Work> open;
        open.push_back({top, std::vector<NetId>(models_[top].nets.size(), no_node), ""});
        while (!open.empty()) {
            Work work = std::move(open.back());
            open.pop_back();
            const BlifModel& model = models_[work.model];
            add_nets(model, work);
            if (work.path.empty()) {
                for (const auto& port : model.inputs) graph_.add_input(work.nets[port.net], port.line);
                for (const auto& port : model.outputs) graph_.add_output(work.nets[port.net], port.line);
            }
            add_nodes(model, work);
            for (std::size_t i = model.instances.size(); i-- > 0;)
                open.push_back(instantiate(model.instances[i], work, i));
        }
    }

    void add_nets(const BlifModel& model, Work& work) {
        for (NetId net = 0; net < model.nets.size(); ++net) {
            const std::string_view name = model.nets[net];
            if (work.nets[net] == no_node) work.nets[net] = graph_.add_net(work.path + std::string(name));
            if (name == "$true" || name == "$false" || name == "$undef") {
                graph_.set_default(work.nets[net], name == "$true");
            }
        }
        for (const NetId clock : model.clocks) graph_.set_default(work.nets[clock], false);
    }

    void add_nodes(const BlifModel& model, const Work& work) {
        std::vector<NetId> pins;
        for (const auto& logic : model.logic) {
            pins.clear();
            for (const NetId net : logic.inputs) pins.push_back(work.nets[net]);
            if (logic.kind == LogicKind::cover) {
                graph_.add_cover(pins, work.nets[logic.output], logic.rows, logic.off_set, logic.line);
            } else {
                graph_.add_logic(logic.kind, pins, work.nets[logic.output], logic.line);
            }
        }
        for (const auto& latch : model.latches) {
            const NetId output = work.nets[latch.output];
            graph_.add_storage(work.nets[latch.input], output, latch.init, latch.line);
            if (latch.clock != no_node)
                graph_.add_clock(work.nets[latch.clock], latch.edge, output, latch.line);
        }
    }

    Work instantiate(const BlifModel::Instance& instance, const Work& parent, std::size_t number) const {
        const std::uint32_t index = index_.at(instance.model);
        const BlifModel& model = models_[index];
        Work out{index, std::vector<NetId>(model.nets.size(), no_node),
                 fmt::format("{}{}_{}.", parent.path, model.name, number)};
        std::unordered_set<std::string_view> formals;
        for (const auto& port : model.inputs) formals.insert(model.nets[port.net]);
        for (const auto& port : model.outputs) formals.insert(model.nets[port.net]);
        for (const auto& [formal, actual] : instance.pins) {
            if (!formals.contains(formal)) {
                text_.fail(instance.line,
                           fmt::format("model {} has no port {}", shown(model.name), shown(formal)));
            }
            NetId& target = out.nets[model.net_ids.at(formal)];
            if (target != no_node) {
                text_.fail(instance.line, fmt::format("port {} of model {} is connected twice", shown(formal),
                                                      shown(model.name)));
            }
            target = parent.nets[actual];
        }
        return out;
    }

    const NetlistText& text_;
    std::vector<BlifModel> models_;
    std::unordered_map<std::string_view, std::uint32_t> index_;
    NetGraph graph_;
};

}  // namespace

Circuit read_blif(std::string_view text, const std::string& source, const ReadOptions& options) {
    NetlistText lines(text, source, options);
    std::vector<BlifModel> models = parse_blif(lines);
    return BlifFlattener(lines, std::move(models)).flatten();
}

}  // namespace toroid::circuit
