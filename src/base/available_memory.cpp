// SPDX-License-Identifier: Apache-2.0
#include "base/available_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace toroid::base {

std::uint64_t available_memory_bytes() {
    std::ifstream file("/proc/meminfo");
    std::string label;
    std::uint64_t kibibytes = 0;
    std::string unit;
    while (file >> label >> kibibytes) {
        std::getline(file, unit);
        if (label == "MemAvailable:") return kibibytes * 1024;
    }
    return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace toroid::base
