// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

class NamedBackend : public Backend {
 public:
    explicit NamedBackend(unsigned threads) : threads_(threads) {}
    [[nodiscard]] std::string_view name() const noexcept override { return "present"; }
    [[nodiscard]] std::string description() const override { return "threads " + std::to_string(threads_); }
    [[nodiscard]] std::string unsupported_reason(const scheme::Parameters&) const override {
        return "a test";
    }
    [[nodiscard]] double seconds_per_bootstrap(const scheme::Parameters&) const override { return 1; }
    [[nodiscard]] std::uint32_t parallel_width(const scheme::Parameters&) const override { return 1; }
    [[nodiscard]] std::unique_ptr<LoadedKey> load(const scheme::EvaluationKey&) const override {
        return nullptr;
    }

 private:
    unsigned threads_;
};

std::unique_ptr<Backend> make_named(const BackendOptions& options) {
    return std::make_unique<NamedBackend>(options.threads);
}

BackendEntry present() {
    return {"present", [] { return std::string(); }, make_named};
}
BackendEntry absent() {
    return {"absent", [] { return std::string("no such chip"); }, make_named};
}

std::string device_error(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::device);
        return error.what();
    }
    ADD_FAILURE() << "no error";
    return {};
}

TEST(Registry, MakesABackendWithItsOptions) {
    const Registry registry({present(), absent()});
    EXPECT_EQ(registry.make("present", {.threads = 3})->description(), "threads 3");
    ASSERT_EQ(registry.entries().size(), 2U);
    EXPECT_EQ(registry.entries()[1].name, "absent");
}

TEST(Registry, UnknownNameListsTheKnownOnesAndWhyTheyAreAbsent) {
    const Registry registry({present(), absent()});
    const std::string message = device_error([&] { (void)registry.find("cuda"); });
    EXPECT_THAT(message, testing::HasSubstr("'cuda'"));
    EXPECT_THAT(message, testing::HasSubstr("present, absent (absent: no such chip)"));
}

TEST(Registry, AbsentDeviceGivesItsReason) {
    const Registry registry({present(), absent()});
    EXPECT_EQ(registry.find("absent").name, "absent");
    EXPECT_THAT(device_error([&] { (void)registry.make("absent", {}); }), testing::HasSubstr("no such chip"));
}

TEST(Registry, TwoBackendsOfOneNameAreAnError) {
    EXPECT_THROW(Registry({present(), absent(), present()}), Error);
}

}  // namespace
}  // namespace toroid::backend
