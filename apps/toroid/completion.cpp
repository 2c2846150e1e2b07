// SPDX-License-Identifier: Apache-2.0
// Completion scripts made from the tree of subcommands and options, so that they cannot lag behind it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "print.hpp"
#include "subcommands.hpp"

namespace toroid::cli {
namespace {

struct OptionWords {
    std::vector<std::string> names;  ///< "-o", "--output"
    std::string help;
    bool takes_value = false;
    bool takes_file = false;
};

struct CommandWords {
    std::string path;                                              ///< "toroid params list"
    std::vector<std::pair<std::string, std::string>> subcommands;  ///< name, help
    std::vector<OptionWords> options;
    bool takes_files = false;  ///< as positionals
};

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

CommandWords words_of(const CLI::App& command, const std::string& path) {
    CommandWords words;
    words.path = path;
    for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
        words.subcommands.emplace_back(child->get_name(), first_line(child->get_description()));
    }
    for (const CLI::Option* option : command.get_options()) {
        const bool takes_file = option->get_type_name().find("FILE") != std::string::npos ||
                                option->get_type_name().find("DIRECTORY") != std::string::npos;
        if (option->get_positional()) words.takes_files = words.takes_files || takes_file;
        OptionWords out;
        for (const std::string& name : option->get_snames()) out.names.push_back("-" + name);
        for (const std::string& name : option->get_lnames()) out.names.push_back("--" + name);
        out.help = first_line(option->get_description());
        out.takes_value = option->get_items_expected_max() > 0;
        out.takes_file = takes_file;
        if (!out.names.empty()) words.options.push_back(std::move(out));
    }
    return words;
}

void collect(const CLI::App& command, const std::string& path, std::vector<CommandWords>& all) {
    all.push_back(words_of(command, path));
    for (const CLI::App* child : command.get_subcommands([](const CLI::App*) { return true; })) {
        collect(*child, path + " " + child->get_name(), all);
    }
}

std::string escaped(const std::string& text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

/// In single quotes of a POSIX shell.
std::string shell_quoted(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
        } else {
            out += c;
        }
    }
    return out + "'";
}

std::string bash_script(const std::vector<CommandWords>& all) {
    std::string cases;
    for (const CommandWords& command : all) {
        std::string words;
        std::string file_options;
        std::string value_options;
        for (const auto& [name, help] : command.subcommands) words += " " + name;
        for (const OptionWords& option : command.options) {
            for (const std::string& name : option.names) {
                words += " " + name;
                if (option.takes_file) file_options += " " + name;
                if (option.takes_value && !option.takes_file) value_options += " " + name;
            }
        }
        cases += fmt::format(
            "        {}) words={} files={} values={} positional={} ;;\n", shell_quoted(command.path),
            shell_quoted(words.substr(std::min<std::size_t>(1, words.size()))),
            shell_quoted(file_options + " "), shell_quoted(value_options + " "), command.takes_files ? 1 : 0);
    }
    std::string paths;
    for (const CommandWords& command : all) paths += " " + shell_quoted(command.path);
    return fmt::format(R"(# Completion of toroid for bash: source <(toroid completion bash)
_toroid() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command=toroid word known words files values positional
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        for known in{}; do
            if [[ "$command $word" == "$known" ]]; then command="$known"; break; fi
        done
    done
    case "$command" in
{}    esac
    COMPREPLY=()
    if [[ "$files" == *" $previous "* ]]; then
        COMPREPLY=($(compgen -f -- "$current"))
    elif [[ "$values" == *" $previous "* ]]; then
        return
    else
        COMPREPLY=($(compgen -W "$words" -- "$current"))
        if [[ "$positional" == 1 && "$current" != -* ]]; then COMPREPLY+=($(compgen -f -- "$current")); fi
    fi
}}
complete -o filenames -F _toroid toroid
)",
                       paths, cases);
}

std::string zsh_option(const OptionWords& option) {
    // _arguments specification: '(-o --output)'{-o,--output}'[help]:value:_files'
    const std::string help = escaped(option.help, "[]:\\");
    const std::string action = option.takes_file ? ":file:_files" : option.takes_value ? ":value:" : "";
    std::string text;
    for (const std::string& name : option.names) {
        text += " \\\n                " + shell_quoted(name + "[" + help + "]" + action);
    }
    return text;
}

std::string zsh_script(const std::vector<CommandWords>& all) {
    std::string cases;
    for (const CommandWords& command : all) {
        cases += fmt::format("        {})\n", shell_quoted(command.path));
        if (!command.subcommands.empty()) {
            cases += "            local -a subcommands=(";
            for (const auto& [name, help] : command.subcommands) {
                cases += "\n                " + shell_quoted(name + ":" + escaped(help, ":\\"));
            }
            cases += ")\n            _describe subcommand subcommands\n";
        }
        cases += "            _arguments";
        for (const OptionWords& option : command.options) cases += zsh_option(option);
        if (command.takes_files) cases += " \\\n                '*:file:_files'";
        cases += " ;;\n";
    }
    std::string paths;
    for (const CommandWords& command : all) paths += " " + shell_quoted(command.path);
    return fmt::format(R"(#compdef toroid
# Completion of toroid for zsh: source <(toroid completion zsh)
_toroid() {{
    local command=toroid word known
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        for known in{}; do
            if [[ "$command $word" == "$known" ]]; then command="$known"; break; fi
        done
    done
    case "$command" in
{}    esac
}}
compdef _toroid toroid
)",
                       paths, cases);
}

std::string fish_script(const std::vector<CommandWords>& all) {
    std::string text =
        "# Completion of toroid for fish: toroid completion fish | source\ncomplete -c toroid -f\n";
    for (const CommandWords& command : all) {
        // The words after "toroid" must have been seen, and no subcommand of theirs.
        std::string condition;
        const std::string rest =
            command.path.substr(std::min(command.path.size(), std::string("toroid ").size()));
        for (std::size_t start = 0; start < rest.size();) {
            const std::size_t end = std::min(rest.find(' ', start), rest.size());
            condition += fmt::format("{}__fish_seen_subcommand_from {}", condition.empty() ? "" : "; and ",
                                     rest.substr(start, end - start));
            start = end + 1;
        }
        std::string children;
        for (const auto& [name, help] : command.subcommands) children += " " + name;
        if (!children.empty()) {
            condition += fmt::format("{}not __fish_seen_subcommand_from{}", condition.empty() ? "" : "; and ",
                                     children);
        }
        const std::string head =
            "complete -c toroid" + (condition.empty() ? "" : " -n " + shell_quoted(condition));
        for (const auto& [name, help] : command.subcommands) {
            text += fmt::format("{} -a {} -d {}\n", head, name, shell_quoted(escaped(help, "\\")));
        }
        if (command.takes_files) text += head + " -F\n";
        for (const OptionWords& option : command.options) {
            text += head;
            for (const std::string& name : option.names) {
                const bool is_long = name.starts_with("--");
                text += fmt::format(" -{} {}", is_long ? "l" : "s", name.substr(is_long ? 2 : 1));
            }
            if (option.takes_value) text += option.takes_file ? " -r -F" : " -x";
            text += fmt::format(" -d {}\n", shell_quoted(escaped(option.help, "\\")));
        }
    }
    return text;
}

void print_script(const CLI::App& app, const std::string& shell) {
    std::vector<CommandWords> all;
    collect(app, "toroid", all);
    print_text(shell == "bash" ? bash_script(all) : shell == "zsh" ? zsh_script(all) : fish_script(all));
}

}  // namespace

void add_completion(CLI::App& app) {
    CLI::App* command = app.add_subcommand("completion", "Print a completion script for your shell");
    const auto shell = std::make_shared<std::string>();
    command->add_option("shell", *shell, "bash, zsh or fish")
        ->required()
        ->type_name("SHELL")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
    command->footer("Example:\n  source <(toroid completion bash)");
    command->callback([&app, shell] { print_script(app, *shell); });
}

}  // namespace toroid::cli
