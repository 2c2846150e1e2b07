// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "arguments.hpp"
#include "print.hpp"
#include "subcommands.hpp"
#include "toroid/evaluator.hpp"

namespace toroid::cli {
namespace {

nlohmann::ordered_json cards_json(const std::vector<Card>& cards) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const Card& card : cards) {
        json.push_back({{"name", card.name},
                        {"model", card.model},
                        {"architecture", card.architecture},
                        {"memory_bytes", card.memory_bytes},
                        {"usable", card.unusable_reason.empty()},
                        {"unusable_reason", card.unusable_reason},
                        {"transform", card.transform},
                        {"transform_reason", card.transform_reason},
                        {"shapes", card.shapes}});
    }
    return json;
}

std::string card_text(const Card& card) {
    std::string text = fmt::format("  {:<10}{:<9}{}, {}, {} MiB\n", card.name,
                                   card.unusable_reason.empty() ? "usable" : "unusable", card.model,
                                   card.architecture, card.memory_bytes >> 20);
    const auto line = [&text](const std::string& rest) { text += fmt::format("{:21}{}\n", "", rest); };
    if (!card.unusable_reason.empty()) {
        line(card.unusable_reason);
        return text;
    }
    line("transform " + card.transform_reason);
    line("kernels of their own for these shapes, all others run on general ones:");
    for (const std::string& shape : card.shapes) line("  " + shape);
    return text;
}

void list(unsigned threads, bool as_json) {
    const std::vector<Device> found = devices(threads);
    if (as_json) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const Device& device : found) {
            json.push_back({{"name", device.name},
                            {"present", device.present},
                            {"description", device.description},
                            {"absence_reason", device.absence_reason},
                            {"cards", cards_json(device.cards)}});
        }
        print_text(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
        return;
    }
    std::string text;
    for (const Device& device : found) {
        text += fmt::format("{:<12}{:<9}{}\n", device.name, device.present ? "present" : "absent",
                            device.present ? device.description : device.absence_reason);
        for (const Card& card : device.cards) text += card_text(card);
    }
    print_text(text);
}

}  // namespace

void add_devices(CLI::App& app) {
    CLI::App* command = app.add_subcommand("devices", "List devices, best first: present, or why not");
    const auto arguments = std::make_shared<DeviceArguments>();
    const auto json = std::make_shared<bool>(false);
    arguments->add_threads(*command);
    command->add_flag("--json", *json, "As JSON");
    command->footer("Example:\n  toroid devices --json");
    command->callback([arguments, json] { list(arguments->choice.threads, *json); });
}

}  // namespace toroid::cli
