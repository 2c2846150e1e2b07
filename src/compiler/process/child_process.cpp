// SPDX-License-Identifier: Apache-2.0
#include "compiler/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

constexpr int cannot_start = 127;

class Descriptor {
 public:
    Descriptor(const std::filesystem::path& path, int flags)
        : value_(open(path.c_str(), flags | O_CLOEXEC, 0600)) {
        if (value_ < 0) {
            throw Error(ErrorKind::io, fmt::format("cannot open '{}': {}", path.string(),
                                                   std::system_category().message(errno)));
        }
    }
    ~Descriptor() { close(value_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int value() const noexcept { return value_; }

 private:
    int value_;
};

/// Ends with the whole group of a child: also with what the child left running, and with a child that an
/// exception leaves behind.
class ChildGroup {
 public:
    explicit ChildGroup(pid_t child) : child_(child) {}
    ~ChildGroup() {
        kill(-child_, SIGKILL);
        while (!reaped_ && waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    ChildGroup(const ChildGroup&) = delete;
    ChildGroup& operator=(const ChildGroup&) = delete;
    void set_reaped() noexcept { reaped_ = true; }

 private:
    pid_t child_;
    bool reaped_ = false;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

std::vector<std::string> environment_with_folder(const std::filesystem::path& folder) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        if (std::strncmp(*entry, "TMPDIR=", 7) != 0) result.emplace_back(*entry);
    }
    result.push_back("TMPDIR=" + folder.string());
    return result;
}

void limit(int resource, std::uint64_t value) {
    const rlimit both{static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
    setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

struct StandardStreams {
    int input = 0;
    int output = 0;
    int errors = 0;
};

// Between fork and exec of a threaded program: system calls only, no allocation.
[[noreturn]] void become(const char* program, char* const* arguments, char* const* environment, int folder,
                         const StandardStreams& streams, std::uint64_t seconds, std::uint64_t memory) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_CPU, seconds);
    limit(RLIMIT_AS, memory);
    limit(RLIMIT_FSIZE, memory);
    const bool ready =
        dup2(streams.input, STDIN_FILENO) >= 0 && dup2(streams.output, STDOUT_FILENO) >= 0 &&
        dup2(streams.errors, STDERR_FILENO) >= 0 &&
        // dup2 onto itself would keep the close-on-exec flag.
        (folder == folder_descriptor ? fcntl(folder, F_SETFD, 0) : dup2(folder, folder_descriptor)) >= 0;
    if (ready) execve(program, arguments, environment);
    _exit(cannot_start);
}

}  // namespace

std::optional<std::filesystem::path> find_program(std::string_view name) {
    const char* const variable = std::getenv("PATH");
    std::string_view rest = variable == nullptr ? "" : variable;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        if (folder.empty()) continue;
        std::filesystem::path candidate = std::filesystem::path(folder) / name;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return std::nullopt;
}

ChildResult run_child(const ChildProcess& child) {
    std::vector<std::string> argument_texts{child.program.string()};
    argument_texts.insert(argument_texts.end(), child.arguments.begin(), child.arguments.end());
    std::vector<std::string> environment_texts = environment_with_folder(child.folder);
    const std::vector<char*> arguments = pointers(argument_texts);
    const std::vector<char*> environment = pointers(environment_texts);
    const Descriptor folder(child.folder, O_RDONLY | O_DIRECTORY);
    const Descriptor errors(child.error_file, O_WRONLY | O_CREAT | O_TRUNC);
    const std::filesystem::path nothing = "/dev/null";
    const Descriptor input(child.input_file.empty() ? nothing : child.input_file, O_RDONLY);
    const Descriptor output(child.output_file.empty() ? nothing : child.output_file,
                            child.output_file.empty() ? O_WRONLY : O_WRONLY | O_CREAT | O_TRUNC);
    const auto seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(child.time_limit.count(), 1));

    const pid_t process = fork();
    if (process < 0) {
        throw Error(ErrorKind::io, fmt::format("cannot start '{}': {}", child.program.string(),
                                               std::system_category().message(errno)));
    }
    if (process == 0) {
        become(child.program.c_str(), arguments.data(), environment.data(), folder.value(),
               {input.value(), output.value(), errors.value()}, seconds, child.memory_limit_bytes);
    }
    ChildGroup group(process);
    setpgid(process, process);  // both sides set it, so that kill() below always finds the group

    const auto deadline = std::chrono::steady_clock::now() + child.time_limit;
    auto pause = std::chrono::milliseconds(1);
    ChildResult result;
    int status = 0;
    for (;;) {
        const pid_t ended = waitpid(process, &status, WNOHANG);
        if (ended == process) break;
        if (ended < 0 && errno != EINTR) {
            throw Error(ErrorKind::internal,
                        fmt::format("waiting for '{}' failed: {}", child.program.string(),
                                    std::system_category().message(errno)));
        }
        if (child.checkpoint) child.checkpoint();
        if (!result.timed_out && std::chrono::steady_clock::now() >= deadline) {
            result.timed_out = true;
            kill(-process, SIGKILL);
        }
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::milliseconds(50));
    }
    group.set_reaped();
    if (WIFSIGNALED(status)) {
        result.signal = WTERMSIG(status);
        result.timed_out = result.timed_out || result.signal == SIGXCPU;
    } else {
        result.exit_code = WEXITSTATUS(status);
    }
    return result;
}

}  // namespace toroid::compiler
