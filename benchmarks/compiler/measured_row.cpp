// SPDX-License-Identifier: Apache-2.0
#include "compiler/measured_row.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <exception>
#include <stdexcept>

#include "circuit/statistics.hpp"

namespace toroid::benchmark {
namespace {

Measurement measure_here(const std::function<circuit::Circuit()>& compile) {
    Measurement out;
    try {
        const circuit::Circuit circuit = compile();
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        out.seconds =
            static_cast<double>(usage.ru_utime.tv_sec) + 1e-6 * static_cast<double>(usage.ru_utime.tv_usec);
        out.peak_mib = static_cast<double>(usage.ru_maxrss) / 1024;
        const circuit::Statistics statistics = circuit::statistics(circuit);
        out.bootstraps = statistics.bootstraps;
        out.depth = statistics.depth;
        out.largest_weight_norm = circuit::noise_profile(circuit).largest_weight_norm;
    } catch (const std::exception& error) {
        out.error = error.what();
    }
    return out;
}

}  // namespace

nlohmann::json to_json(const Measurement& measurement) {
    if (!measurement.error.empty()) return {{"error", measurement.error}};
    return {{"bootstraps", measurement.bootstraps},
            {"depth", measurement.depth},
            {"largest_weight_norm", measurement.largest_weight_norm},
            {"seconds", measurement.seconds},
            {"peak_mib", measurement.peak_mib}};
}

Measurement measure(const std::function<circuit::Circuit()>& compile) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("cannot make a pipe");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start a process");
    if (child == 0) {
        const std::string text = to_json(measure_here(compile)).dump();
        const ssize_t written = write(ends[1], text.data(), text.size());
        _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t count = 0; (count = read(ends[0], part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(count));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    Measurement out;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        out.error = "the compiling process ended early";
        return out;
    }
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.contains("error")) {
        out.error = json["error"].get<std::string>();
        return out;
    }
    out.bootstraps = json["bootstraps"];
    out.depth = json["depth"];
    out.largest_weight_norm = json["largest_weight_norm"];
    out.seconds = json["seconds"];
    out.peak_mib = json["peak_mib"];
    return out;
}

}  // namespace toroid::benchmark
