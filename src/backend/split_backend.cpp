// SPDX-License-Identifier: Apache-2.0
#include "backend/split_backend.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "backend/slot_ownership.hpp"
#include "backend/split_key.hpp"
#include "base/thread_pool.hpp"
#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

std::uint32_t least_share_by_environment() {
    const char* const text = std::getenv("TOROID_LEAST_SHARE");
    if (text == nullptr) return 0;
    const std::string_view digits = text;
    std::uint32_t share = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), share);
    if (error != std::errc() || end != digits.data() + digits.size() || share == 0) {
        throw Error(ErrorKind::usage,
                    fmt::format("TOROID_LEAST_SHARE is '{}', no positive number of bootstraps", digits));
    }
    return share;
}

class SplitBackend final : public Backend {
 public:
    explicit SplitBackend(std::vector<BackendPart> parts)
        : parts_(std::move(parts)), least_share_(least_share_by_environment()) {
        if (parts_.empty() || parts_.size() > most_devices) {
            throw Error(ErrorKind::usage,
                        fmt::format("{} devices chosen; 1 to {} work together", parts_.size(), most_devices));
        }
    }

    [[nodiscard]] std::string_view name() const noexcept override { return parts_.front().backend->name(); }
    [[nodiscard]] std::string description() const override {
        std::string text = fmt::format("{} devices", parts_.size());
        for (const BackendPart& part : parts_) {
            text += fmt::format("{} {} = {}", text.ends_with("devices") ? ":" : ";", part.name,
                                part.backend->description());
        }
        return text;
    }
    [[nodiscard]] std::string unsupported_reason(const scheme::Parameters& parameters) const override {
        for (const BackendPart& part : parts_) {
            if (std::string reason = part.backend->unsupported_reason(parameters); !reason.empty())
                return fmt::format("{}: {}", part.name, reason);
        }
        return {};
    }
    [[nodiscard]] double seconds_per_bootstrap(const scheme::Parameters& parameters) const override {
        double rate = 0;
        for (const BackendPart& part : parts_) rate += 1 / part.backend->seconds_per_bootstrap(parameters);
        return 1 / rate;
    }
    [[nodiscard]] std::uint32_t parallel_width(const scheme::Parameters& parameters) const override {
        std::uint32_t sum = 0;
        for (const BackendPart& part : parts_) sum += part.backend->parallel_width(parameters);
        return sum;
    }
    [[nodiscard]] std::unique_ptr<LoadedKey> load(const scheme::EvaluationKey& key) const override {
        std::vector<KeyPart> loaded(parts_.size());
        base::ThreadPool threads(static_cast<unsigned>(parts_.size()));
        threads.for_each(parts_.size(), [&](std::size_t i, unsigned) {
            loaded[i] = {parts_[i].name, parts_[i].backend->load(key)};
        });
        return std::make_unique<SplitKey>(std::move(loaded), least_share_);
    }

 private:
    std::vector<BackendPart> parts_;
    std::uint32_t least_share_;
};

}  // namespace

std::unique_ptr<Backend> make_split_backend(std::vector<BackendPart> parts) {
    return std::make_unique<SplitBackend>(std::move(parts));
}

}  // namespace toroid::backend
