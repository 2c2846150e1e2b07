// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "toroid/evaluator.hpp"

namespace toroid {
namespace {

std::string mebibytes(std::uint64_t bytes) {
    return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string probability(double log2) {
    return std::isinf(log2) ? "0" : fmt::format("2^{:.1f}", log2);
}

/// JSON has no infinity: a probability of 0 is null.
nlohmann::ordered_json log2_or_null(double log2) {
    return std::isinf(log2) ? nlohmann::ordered_json() : nlohmann::ordered_json(log2);
}

}  // namespace

std::string RunReport::to_text() const {
    std::string text;
    const auto line = [&text](std::string_view label, const std::string& value) {
        text += fmt::format("{:<22}{}\n", label, value);
    };
    line("circuit", circuit);
    line("device", device);
    // One device has done it all.
    for (const DeviceShare& share : devices) {
        if (devices.size() == 1) continue;
        line("  " + share.name, fmt::format("{} bootstraps, {} of ciphertexts received{}", share.bootstraps,
                                            mebibytes(share.received_bytes),
                                            share.received_through_host_bytes == 0 ? ""
                                            : share.received_through_host_bytes == share.received_bytes
                                                ? " through host memory"
                                                : fmt::format(", {} of it through host memory",
                                                              mebibytes(share.received_through_host_bytes))));
    }
    line("parameters", parameters);
    line("key", key_id);
    line("clock cycles", fmt::format("{}", cycles));
    line("gates", fmt::format("{}, {} bootstraps, {} levels{}", gates, bootstraps_in_circuit, levels,
                              cycles > 1 ? " a cycle" : ""));
    if (failure.refreshes > 0)
        line("refreshes", fmt::format("{} of these bootstraps refresh noisy wires", failure.refreshes));
    line("bootstraps done", fmt::format("{} in {} batches", bootstraps_done, batches));
    line("time", fmt::format("{:.3f} s ({:.1f} bootstraps/s), key loaded in {:.3f} s", seconds,
                             bootstraps_per_second, load_seconds));
    line("memory", fmt::format("key {}, ciphertexts {}, process peak {}", mebibytes(key_bytes),
                               mebibytes(pool_bytes), mebibytes(peak_memory_bytes)));
    line("failure probability",
         fmt::format("{} in all, target {} a gate; worst gate {}, worst output {}",
                     probability(failure.circuit_log2), probability(target_failure_log2),
                     probability(failure.gate_log2), probability(failure.output_log2)));
    return text;
}

std::string RunReport::to_json() const {
    nlohmann::ordered_json json;
    json["circuit"] = circuit;
    json["device"] = device;
    json["devices"] = nlohmann::ordered_json::array();
    std::uint64_t between = 0;
    for (const DeviceShare& share : devices) {
        json["devices"].push_back({{"name", share.name},
                                   {"bootstraps", share.bootstraps},
                                   {"received_bytes", share.received_bytes},
                                   {"received_through_host_bytes", share.received_through_host_bytes}});
        between += share.received_bytes;
    }
    json["bytes_between_devices"] = between;
    json["parameters"] = parameters;
    json["key_id"] = key_id;
    json["cycles"] = cycles;
    json["gates"] = gates;
    json["bootstraps_in_circuit"] = bootstraps_in_circuit;
    json["refreshes"] = failure.refreshes;
    json["bootstraps_done"] = bootstraps_done;
    json["levels"] = levels;
    json["batches"] = batches;
    json["load_seconds"] = load_seconds;
    json["seconds"] = seconds;
    json["bootstraps_per_second"] = bootstraps_per_second;
    json["key_bytes"] = key_bytes;
    json["pool_bytes"] = pool_bytes;
    json["peak_memory_bytes"] = peak_memory_bytes;
    json["largest_weight_norm"] = failure.largest_weight_norm;
    json["worst_gate"] = failure.worst_gate;
    json["worst_gate_failure_log2"] = log2_or_null(failure.gate_log2);
    json["worst_output"] = failure.worst_output;
    json["worst_output_failure_log2"] = log2_or_null(failure.output_log2);
    json["circuit_failure_log2"] = log2_or_null(failure.circuit_log2);
    json["target_failure_log2"] = target_failure_log2;
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace toroid
