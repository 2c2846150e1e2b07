// SPDX-License-Identifier: Apache-2.0
#include "support/seed.hpp"

#include <cstring>
#include <vector>

namespace toroid::tests {
namespace {

std::uint64_t global_seed = 0;

/// A seeded stream as a random source: MaskStream is the same ChaCha20 that the system sources use.
class SeededSource : public base::RandomSource {
 public:
    SeededSource(std::uint64_t purpose, std::uint64_t number) : stream_(mask_seed(purpose), number) {}
    void fill(std::span<std::byte> bytes) override {
        std::vector<std::uint16_t> words((bytes.size() + 1) / 2);
        stream_.fill(std::span(words));
        std::memcpy(bytes.data(), words.data(), bytes.size());
    }

 private:
    static base::MaskSeed mask_seed(std::uint64_t purpose) {
        base::MaskSeed out{};
        std::memcpy(out.data(), &global_seed, sizeof(global_seed));
        std::memcpy(out.data() + sizeof(global_seed), &purpose, sizeof(purpose));
        return out;
    }
    base::MaskStream stream_;
};

}  // namespace

void set_seed(std::uint64_t value) {
    global_seed = value;
}
std::uint64_t seed() {
    return global_seed;
}

std::mt19937_64 generator(std::uint64_t purpose) {
    std::seed_seq sequence{global_seed, global_seed >> 32, purpose, purpose >> 32};
    return std::mt19937_64(sequence);
}

SeededSources::SeededSources(std::uint64_t purpose) : purpose_(purpose) {}
std::unique_ptr<base::RandomSource> SeededSources::make() {
    return std::make_unique<SeededSource>(purpose_, made_++);
}

}  // namespace toroid::tests
