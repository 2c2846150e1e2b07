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

void list(unsigned threads, bool as_json) {
    const std::vector<Device> found = devices(threads);
    if (as_json) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const Device& device : found) {
            json.push_back({{"name", device.name},
                            {"present", device.present},
                            {"description", device.description},
                            {"absence_reason", device.absence_reason}});
        }
        print_text(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
        return;
    }
    std::string text;
    for (const Device& device : found) {
        text += fmt::format("{:<12}{:<9}{}\n", device.name, device.present ? "present" : "absent",
                            device.present ? device.description : device.absence_reason);
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
