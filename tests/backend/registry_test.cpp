// SPDX-License-Identifier: Apache-2.0
#include "backend/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "toroid/error.hpp"

namespace toroid::backend {
namespace {

class NamedBackend : public Backend {
 public:
    explicit NamedBackend(const BackendOptions& options)
        : threads_(options.threads), device_(options.device) {}
    [[nodiscard]] std::string_view name() const noexcept override { return "present"; }
    [[nodiscard]] std::string description() const override {
        return "threads " + std::to_string(threads_) + " device " + std::to_string(device_);
    }
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
    int device_;
};

std::unique_ptr<Backend> make_named(const BackendOptions& options) {
    return std::make_unique<NamedBackend>(options);
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
    EXPECT_EQ(registry.make("present", {.threads = 3})->description(), "threads 3 device -1");
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

/// Cards 0 and 2: numbers need not be without gaps.
BackendEntry cards() {
    return {"card", [] { return std::string(); }, make_named,
            [] {
                DeviceInfo first;
                first.name = "Model A";
                DeviceInfo second;
                second.index = 2;
                second.name = "Model B";
                return std::vector{first, second};
            }};
}

TEST(Registry, DevicesByNumber) {
    const Registry registry({cards(), present()});
    EXPECT_EQ(registry.make("card", {})->description(), "threads 0 device -1");
    EXPECT_EQ(registry.make("card:2", {.threads = 1})->description(), "threads 1 device 2");
    EXPECT_EQ(registry.make("card:2,0", {})->description(),
              "2 devices: card:2 = threads 0 device 2; card:0 = threads 0 device 0");
    EXPECT_EQ(registry.make("card:0,2,0", {})->description(),
              "3 devices: card:0#1 = threads 0 device 0; card:2 = threads 0 device 2; card:0#2 = threads 0 "
              "device 0");
    EXPECT_EQ(registry.make("card:all", {})->description(), registry.make("card:0,2", {})->description());
    EXPECT_EQ(registry.make("present:all", {})->description(), "threads 0 device 0");
    const auto two = registry.make("present:0,0", {});
    EXPECT_EQ(two->name(), "present");
    EXPECT_EQ(two->seconds_per_bootstrap(scheme::named_parameters("tfhe128")), 0.5);
    EXPECT_EQ(two->parallel_width(scheme::named_parameters("tfhe128")), 2U);
    EXPECT_EQ(two->unsupported_reason(scheme::named_parameters("tfhe128")), "present:0#1: a test");
}

TEST(Registry, TheLeastShareIsANumber) {
    const Registry registry({cards()});
    for (const char* text : {"", "0", "x", "1x", "-1"}) {
        ASSERT_EQ(setenv("TOROID_LEAST_SHARE", text, 1), 0);
        EXPECT_THROW((void)registry.make("card:0,2", {}), Error) << text;
    }
    ASSERT_EQ(setenv("TOROID_LEAST_SHARE", "3", 1), 0);
    EXPECT_NO_THROW((void)registry.make("card:0,2", {}));
    ASSERT_EQ(unsetenv("TOROID_LEAST_SHARE"), 0);
}

TEST(Registry, AMissingDeviceNamesThoseThatAreThere) {
    const Registry registry({cards(), present(), absent()});
    const std::string message = device_error([&] { (void)registry.make("card:0,1", {}); });
    EXPECT_THAT(message, testing::HasSubstr("'card:1'"));
    EXPECT_THAT(message, testing::HasSubstr("card:0 Model A, card:2 Model B"));
    EXPECT_THAT(device_error([&] { (void)registry.make("present:1,1", {}); }),
                testing::HasSubstr("present: present:0"));
    EXPECT_THAT(device_error([&] { (void)registry.make("absent:all", {}); }),
                testing::HasSubstr("no such chip"));
    EXPECT_THROW((void)registry.make("card:", {}), Error);
}

TEST(Registry, TwoBackendsOfOneNameAreAnError) {
    EXPECT_THROW(Registry({present(), absent(), present()}), Error);
}

}  // namespace
}  // namespace toroid::backend
