// SPDX-License-Identifier: Apache-2.0
// Client and server through the public API alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "api/toy_set.hpp"
#include "support/temporary_folder.hpp"
#include "toroid/toroid.hpp"

namespace toroid {
namespace {

using testing::HasSubstr;

/// 2-bit adder with carry, a mixture of gate kinds, in BLIF.
constexpr const char* adder = R"(.model adder
.inputs a[0] a[1] b[0] b[1]
.outputs s[0] s[1] s[2]
.names a[0] b[0] s[0]
10 1
01 1
.names a[0] b[0] c
11 1
.names a[1] b[1] c s[1]
100 1
010 1
001 1
111 1
.names a[1] b[1] c s[2]
11- 1
1-1 1
-11 1
.end
)";

/// Adds `step` to a 3-bit register in each cycle.
constexpr const char* counter = R"(.model counter
.inputs step
.outputs n[0] n[1] n[2]
.latch d0 n[0] 1
.latch d1 n[1] 0
.latch d2 n[2] 0
.names n[0] step d0
10 1
01 1
.names n[0] step c0
11 1
.names n[1] c0 d1
10 1
01 1
.names n[1] c0 c1
11 1
.names n[2] c1 d2
10 1
01 1
.end
)";

class ApiEvaluation : public testing::Test {
 protected:
    static void SetUpTestSuite() {
        secret_ = std::make_unique<SecretKey>(SecretKey::generate(tests::toy_set(), true));
        evaluation_ = std::make_unique<EvaluationKey>(secret_->make_evaluation_key());
        evaluator_ = std::make_unique<Evaluator>(*evaluation_);
    }
    static void TearDownTestSuite() {
        evaluator_.reset();
        evaluation_.reset();
        secret_.reset();
    }

    Circuit read(const char* text, const std::string& name) {
        tests::spill(folder_ / name, text);
        return Circuit::read(folder_ / name);
    }
    static Values values(const Circuit& circuit, const std::vector<std::string>& items) {
        return parse_values(items, circuit.interface().inputs(), Missing::allow);
    }
    static std::vector<std::int64_t> integers(const std::vector<Bits>& steps) {
        std::vector<std::int64_t> out;
        for (const Bits& bits : steps) out.push_back(to_integer(bits, false));
        return out;
    }
    static ErrorKind kind_of(const std::function<void()>& call, const std::string& part = "") {
        try {
            call();
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr(part));
            return error.kind();
        }
        ADD_FAILURE() << "accepted";
        return ErrorKind::internal;
    }
    /// No noise check: the toy set has less noise than any real one anyway.
    static const Evaluator& evaluator() { return *evaluator_; }

    tests::TemporaryFolder folder_;
    static std::unique_ptr<SecretKey> secret_;
    static std::unique_ptr<EvaluationKey> evaluation_;
    static std::unique_ptr<Evaluator> evaluator_;
};
std::unique_ptr<SecretKey> ApiEvaluation::secret_;
std::unique_ptr<EvaluationKey> ApiEvaluation::evaluation_;
std::unique_ptr<Evaluator> ApiEvaluation::evaluator_;

TEST_F(ApiEvaluation, AddsAndReports) {
    const Circuit circuit = read(adder, "adder.blif");
    for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
            const Values in = values(circuit, {"a=" + std::to_string(a), "b=" + std::to_string(b)});
            const RunResult result = evaluator().run(circuit, secret_->encrypt(circuit.interface(), in));
            EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("s")), std::vector<std::int64_t>{a + b});
            EXPECT_EQ(result.report.bootstraps_done, circuit.figures().bootstraps);
            EXPECT_EQ(result.report.device, evaluator().device());
        }
    }
}

TEST_F(ApiEvaluation, ReportIsTextAndJson) {
    const Circuit circuit = read(adder, "adder.blif");
    const Values in = values(circuit, {"a=3", "b=2"});
    std::uint64_t last = 0;
    RunOptions options;
    options.progress = [&](std::uint64_t done, std::uint64_t) { last = done; };
    const RunReport report =
        evaluator().run(circuit, secret_->encrypt(circuit.interface(), in), {}, options).report;
    EXPECT_EQ(last, report.bootstraps_done);
    const auto json = nlohmann::json::parse(report.to_json());
    EXPECT_EQ(json.at("bootstraps_done"), circuit.figures().bootstraps);
    EXPECT_EQ(json.at("circuit"), "adder");
    EXPECT_EQ(json.at("key_id"), evaluation_->key_id());
    EXPECT_GT(json.at("peak_memory_bytes").get<std::uint64_t>(), 1U << 20);
    EXPECT_GT(json.at("seconds").get<double>(), 0.0);
    EXPECT_LT(json.at("circuit_failure_log2").get<double>(), -40.0);
    EXPECT_THAT(report.to_text(), HasSubstr(evaluator().device()));
    ASSERT_EQ(report.devices.size(), 1U);
    EXPECT_EQ(report.devices.front().bootstraps, report.bootstraps_done);
    EXPECT_EQ(json.at("bytes_between_devices"), 0U);
}

/// One machine as several devices: same plaintexts, and the report says who did what.
TEST_F(ApiEvaluation, SeveralDevicesShareARun) {
    const Circuit circuit = read(adder, "adder.blif");
    const Evaluator several(*evaluation_, {"reference:0,0,0"});
    EXPECT_THAT(several.device(), HasSubstr("3 devices: reference:0#1 = "));
    for (const int a : {0, 1, 3}) {
        const Values in = values(circuit, {"a=" + std::to_string(a), "b=3"});
        const RunResult result = several.run(circuit, secret_->encrypt(circuit.interface(), in));
        EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("s")), std::vector<std::int64_t>{a + 3});
        const RunReport& report = result.report;
        ASSERT_EQ(report.devices.size(), 3U);
        std::uint64_t bootstraps = 0;
        std::uint64_t bytes = 0;
        for (const DeviceShare& share : report.devices) {
            bootstraps += share.bootstraps;
            bytes += share.received_bytes;
            EXPECT_THAT(report.to_text(), HasSubstr(share.name));
        }
        EXPECT_EQ(bootstraps, report.bootstraps_done);
        EXPECT_GT(bytes, 0U);
        const auto json = nlohmann::json::parse(report.to_json());
        EXPECT_EQ(json.at("bytes_between_devices"), bytes);
        EXPECT_EQ(json.at("devices").at(2).at("name"), "reference:0#3");
    }
}

TEST_F(ApiEvaluation, RegistersAndClearInputsOnTwoDevices) {
    const Circuit circuit = read(counter, "counter.blif");
    const Evaluator two(*evaluation_, {"cpu:0,0", 1});
    const Ciphertexts none = Ciphertexts::none(*evaluation_);
    const RunResult result =
        two.run(circuit, none, values(circuit, {"step=1,0,1,1"}), {.cycles = 4, .progress = {}});
    EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("n")), (std::vector<std::int64_t>{1, 2, 2, 3}));
}

TEST_F(ApiEvaluation, DeviceTextsThatNameNothing) {
    for (const char* text : {"cpu:", "cpu:x", "cpu:0,", "cpu:-1", "cpu:all,0"})
        EXPECT_EQ(kind_of([&] { Evaluator(*evaluation_, {text}); }, text), ErrorKind::usage);
    EXPECT_EQ(kind_of([&] { Evaluator(*evaluation_, {"cpu:1"}); }, "present: cpu:0"), ErrorKind::device);
    EXPECT_EQ(kind_of([&] { Evaluator(*evaluation_, {"cpu:0,7"}); }, "cpu:7"), ErrorKind::device);
    EXPECT_EQ(kind_of([&] { Evaluator(*evaluation_, {"auto:0"}); }, "auto"), ErrorKind::device);
    EXPECT_THAT(Evaluator(*evaluation_, {"cpu:all"}).device(), HasSubstr("cpu"));
    EXPECT_EQ(kind_of([] { check_device({"cpu:1"}, tests::toy_set()); }, "present: cpu:0"),
              ErrorKind::device);
    EXPECT_NO_THROW(check_device({"cpu:0,0"}, tests::toy_set()));
}

/// A chain has one gate a level: it cannot be quicker than its levels one after the other.
TEST_F(ApiEvaluation, EstimatesCountTheWidthOfTheDevice) {
    std::string chain = ".model chain\n.inputs x y\n.outputs n30\n";
    for (int i = 0; i <= 30; ++i) {
        chain += ".names " + (i == 0 ? std::string("x") : "n" + std::to_string(i - 1)) + " y n" +
                 std::to_string(i) + "\n" + (i % 2 == 0 ? "11 1\n" : "10 1\n01 1\n");
    }
    const Circuit circuit = read((chain + ".end\n").c_str(), "chain.blif");
    ASSERT_EQ(circuit.figures().depth, 31U);
    const Estimate one = estimate(circuit, tests::toy_set(), {"cpu", 1});
    const Estimate many = estimate(circuit, tests::toy_set(), {"cpu", 8});
    EXPECT_GT(one.parallel_width, 0U);
    EXPECT_EQ(many.parallel_width, 8 * one.parallel_width);
    EXPECT_DOUBLE_EQ(one.seconds, 31 * one.seconds_per_bootstrap * one.parallel_width);
    EXPECT_DOUBLE_EQ(many.seconds, 31 * many.seconds_per_bootstrap * many.parallel_width);
    const Estimate cycles = estimate(circuit, tests::toy_set(), {"reference"}, 3);
    EXPECT_DOUBLE_EQ(cycles.seconds, 93 * cycles.seconds_per_bootstrap);
}

TEST_F(ApiEvaluation, WiresTooNoisyForTheirReadersAreRefreshed) {
    // The AND of two multiplexers has weight norm 4; with one of them refreshed, 3.
    const Circuit circuit =
        read("3 9\n1 6\n1 1\n\n3 1 0 1 2 6 MUX\n3 1 3 4 5 7 MUX\n2 1 6 7 8 AND\n", "muxes.bristol");
    EXPECT_EQ(circuit.failure(ParameterSet::named("tfhe128")).refreshes, 1U);
    EXPECT_LE(circuit.failure(ParameterSet::named("tfhe128")).gate_log2, -128);
    EXPECT_EQ(circuit.failure(ParameterSet::named("tfhe128-wide")).refreshes, 0U);

    RunOptions options;
    options.target_failure_log2 = circuit.failure(tests::toy_set(), 1, 0).gate_log2 - 0.5;
    for (int a = 0; a < 64; ++a) {
        const Values in = values(circuit, {"in0=" + std::to_string(a)});
        const RunResult result =
            evaluator().run(circuit, secret_->encrypt(circuit.interface(), in), {}, options);
        EXPECT_EQ(secret_->decrypt(result.outputs), circuit.simulate(in)) << a;
        EXPECT_EQ(result.report.failure.refreshes, 1U);
        EXPECT_EQ(result.report.bootstraps_done, circuit.figures().bootstraps + 1);
    }
}

TEST_F(ApiEvaluation, RegistersStayEncryptedBetweenCycles) {
    const Circuit circuit = read(counter, "counter.blif");
    const Ciphertexts in = secret_->encrypt(circuit.interface(), values(circuit, {"step=1,0,1,1,1"}));
    RunOptions options;
    options.cycles = 5;
    const Values all = secret_->decrypt(evaluator().run(circuit, in, {}, options).outputs);
    EXPECT_EQ(all, circuit.simulate(values(circuit, {"step=1,0,1,1,1"}), 5));
    EXPECT_EQ(integers(all.at("n")), (std::vector<std::int64_t>{1, 2, 2, 3, 4}));
    options.only_last_cycle = true;
    EXPECT_EQ(integers(secret_->decrypt(evaluator().run(circuit, in, {}, options).outputs).at("n")),
              std::vector<std::int64_t>{4});
    options.cycles = 4;
    EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, in, {}, options); }, "step"), ErrorKind::value);
}

TEST_F(ApiEvaluation, ClearInputsOfTheServer) {
    const Circuit circuit = read(adder, "adder.blif");
    const Ciphertexts in = secret_->encrypt(circuit.interface(), values(circuit, {"a=3"}));
    const RunResult result = evaluator().run(circuit, in, values(circuit, {"b=1"}));
    EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("s")), std::vector<std::int64_t>{4});
    EXPECT_LT(result.report.bootstraps_done, circuit.figures().bootstraps);
    // one clear value a cycle
    RunOptions options;
    options.cycles = 3;
    const RunResult three = evaluator().run(circuit, in, values(circuit, {"b=0,1,3"}), options);
    EXPECT_EQ(integers(secret_->decrypt(three.outputs).at("s")), (std::vector<std::int64_t>{3, 4, 6}));
    // all inputs clear: nothing to bootstrap, still a result of this key
    const RunResult none =
        evaluator().run(circuit, Ciphertexts::none(*evaluation_), values(circuit, {"a=2", "b=2"}));
    EXPECT_EQ(none.report.bootstraps_done, 0U);
    EXPECT_EQ(integers(secret_->decrypt(none.outputs).at("s")), std::vector<std::int64_t>{4});
}

TEST_F(ApiEvaluation, PublicKeyAndSeveralParties) {
    const Circuit circuit = read(adder, "adder.blif");
    const PublicKey key = secret_->make_public_key();
    key.save(folder_ / "public.key");
    const Ciphertexts a =
        PublicKey::load(folder_ / "public.key").encrypt(circuit.interface(), values(circuit, {"a=2"}));
    const Ciphertexts b = secret_->encrypt(circuit.interface(), values(circuit, {"b=3"}));
    EXPECT_EQ(a.entries().at(0).origin, "public-key");
    const RunResult result = evaluator().run(circuit, Ciphertexts::combine({a, b}));
    EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("s")), std::vector<std::int64_t>{5});
    EXPECT_EQ(kind_of([&] { (void)Ciphertexts::combine({a, b, a}); }, "'a'"), ErrorKind::value);
}

TEST_F(ApiEvaluation, OutputsAreInputsOfTheNextRun) {
    const Circuit first = read(adder, "adder.blif");
    const Ciphertexts in = secret_->encrypt(first.interface(), values(first, {"a=3", "b=2"}));
    const Ciphertexts out = evaluator().run(first, in).outputs;
    out.save(folder_ / "out.ct");
    const Circuit second = read(
        ".model majority\n.inputs s[0] s[1] s[2]\n.outputs y\n"
        ".names s[0] s[1] s[2] y\n11- 1\n1-1 1\n-11 1\n.end\n",
        "majority.blif");
    const Ciphertexts again = Ciphertexts::load(folder_ / "out.ct", evaluation_->parameters());
    EXPECT_EQ(again.entries().at(0).origin, "evaluated");
    const RunResult result = evaluator().run(second, again);
    EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("y")), std::vector<std::int64_t>{1});
    EXPECT_DOUBLE_EQ(result.report.failure.largest_weight_norm, 3);
}

TEST_F(ApiEvaluation, OneWireUnderTwoNamesIsNotTwoSources) {
    const Circuit twice = read(
        ".model twice\n.inputs a b\n.outputs p q\n.names a b p\n11 1\n.names p q\n1 1\n.end\n", "twice.blif");
    const Ciphertexts in = secret_->encrypt(twice.interface(), values(twice, {"a=1", "b=1"}));
    const Ciphertexts out = evaluator().run(twice, in).outputs;
    const Circuit both =
        read(".model both\n.inputs p q\n.outputs y\n.names p q y\n11 1\n.end\n", "both.blif");
    RunOptions options;
    options.target_failure_log2 = -40;
    const RunResult result = evaluator().run(both, out, {}, options);
    EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("y")), std::vector<std::int64_t>{1});
    EXPECT_DOUBLE_EQ(result.report.failure.largest_weight_norm, 4);
}

TEST_F(ApiEvaluation, RefusesWhatDoesNotBelongTogether) {
    const Circuit circuit = read(adder, "adder.blif");
    const Circuit other = read(counter, "counter.blif");
    const Values both = values(circuit, {"a=1", "b=2"});
    const Ciphertexts in = secret_->encrypt(circuit.interface(), both);

    const SecretKey stranger = SecretKey::generate(tests::toy_set(), true);
    const Ciphertexts foreign = stranger.encrypt(circuit.interface(), both);
    EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, foreign); }, stranger.key_id()),
              ErrorKind::key_mismatch);
    EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, foreign); }, evaluation_->key_id()),
              ErrorKind::key_mismatch);
    EXPECT_EQ(kind_of([&] { (void)secret_->decrypt(foreign); }, secret_->key_id()), ErrorKind::key_mismatch);
    EXPECT_EQ(kind_of(
                  [&] {
                      (void)Ciphertexts::combine({in, foreign});
                  },
                  stranger.key_id()),
              ErrorKind::key_mismatch);

    in.save(folder_ / "in.ct");
    EXPECT_EQ(kind_of([&] { (void)Ciphertexts::load(folder_ / "in.ct", ParameterSet::named("tfhe128")); }),
              ErrorKind::key_mismatch);

    EXPECT_EQ(kind_of([&] { (void)evaluator().run(other, in); }, circuit.interface().fingerprint()),
              ErrorKind::key_mismatch);
    const Ciphertexts one = secret_->encrypt(circuit.interface(), values(circuit, {"a=1"}));
    EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, one); }, "'b'"), ErrorKind::value);
    EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, in, values(circuit, {"b=1"})); }, "'b'"),
              ErrorKind::value);
    EXPECT_EQ(kind_of(
                  [&] {
                      (void)evaluator().run(circuit, one, {{"z", {{true}}}});
                  },
                  "'z'"),
              ErrorKind::value);
    RunOptions none;
    none.cycles = 0;
    EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, in, {}, none); }), ErrorKind::usage);
    for (const double target : {1.0, std::numeric_limits<double>::quiet_NaN()}) {
        RunOptions no_probability;
        no_probability.target_failure_log2 = target;
        EXPECT_EQ(kind_of([&] { (void)evaluator().run(circuit, in, {}, no_probability); }, "target"),
                  ErrorKind::usage);
        EXPECT_EQ(kind_of([&] { (void)circuit.failure(tests::toy_set(), 1, target); }), ErrorKind::usage);
    }
    // the evaluator still works
    EXPECT_NO_THROW((void)evaluator().run(circuit, in));
}

TEST_F(ApiEvaluation, DevicesAreNeverReplacedQuietly) {
    EXPECT_EQ(kind_of(
                  [&] {
                      Evaluator(*evaluation_, {"no-such-device", 0});
                  },
                  "no-such-device"),
              ErrorKind::device);
    for (const Device& device : devices()) {
        if (device.present) {
            EXPECT_THAT(Evaluator(*evaluation_, {device.name, 1}).device(), HasSubstr(device.name));
        } else {
            EXPECT_EQ(kind_of(
                          [&] {
                              Evaluator(*evaluation_, {device.name, 0});
                          },
                          device.absence_reason),
                      ErrorKind::device);
        }
    }
}

TEST_F(ApiEvaluation, ReferenceDeviceAgrees) {
    const Circuit circuit = read(adder, "adder.blif");
    const Evaluator reference(*evaluation_, {"reference", 0});
    const Ciphertexts in = secret_->encrypt(circuit.interface(), values(circuit, {"a=3", "b=3"}));
    const RunResult result = reference.run(circuit, in);
    EXPECT_EQ(integers(secret_->decrypt(result.outputs).at("s")), std::vector<std::int64_t>{6});
    EXPECT_THAT(result.report.device, HasSubstr("reference"));
}

TEST_F(ApiEvaluation, BenchmarkCountsItsGates) {
    const BenchmarkResult result = evaluator().benchmark({.batch = 3, .seconds = 0.01, .progress = {}});
    EXPECT_EQ(result.batch, 3U);
    EXPECT_EQ(result.gates % 3, 0U);
    EXPECT_GE(result.seconds, 0.01);
    EXPECT_NEAR(result.milliseconds_per_gate * static_cast<double>(result.gates), 1e3 * result.seconds, 1e-6);
}

TEST_F(ApiEvaluation, FilesTellWhatTheyAre) {
    secret_->save(folder_ / "s");
    evaluation_->save(folder_ / "e");
    EXPECT_EQ(file_kind(folder_ / "s"), "secret key");
    EXPECT_EQ(file_kind(folder_ / "e"), "evaluation key");
    tests::spill(folder_ / "t", "TOROID");
    EXPECT_EQ(file_kind(folder_ / "t"), "");
    EXPECT_EQ(kind_of([&] { (void)file_kind(folder_ / "none"); }, "none"), ErrorKind::io);
    EXPECT_EQ(kind_of([&] { (void)EvaluationKey::load(folder_ / "s"); }, "secret key"), ErrorKind::format);
    EXPECT_EQ(kind_of([&] { check_writable(folder_ / "no/where"); }, "no"), ErrorKind::io);
    EXPECT_EQ(kind_of([&] { check_writable(folder_.path()); }, "directory"), ErrorKind::io);
    EXPECT_EQ(kind_of([&] { check_writable(folder_ / std::string(300, 'x')); }, "too long"), ErrorKind::io);
    EXPECT_EQ(kind_of([&] { check_writable(folder_ / "s"); }, "secret key"), ErrorKind::io);
    check_writable(folder_ / "e");
    const std::size_t before = folder_.entries();
    check_writable(folder_ / "new");
    EXPECT_EQ(folder_.entries(), before);
}

TEST(ApiCircuit, WritesAndReadsItsOwnFormats) {
    const tests::TemporaryFolder folder;
    tests::spill(folder / "counter.blif", counter);
    const Circuit circuit = Circuit::read(folder / "counter.blif");
    for (const char* name : {"again.toroid", "again.blif"}) {
        circuit.save(folder / name);
        const Circuit again = Circuit::read(folder / name);
        EXPECT_EQ(again.interface().fingerprint(), circuit.interface().fingerprint());
        const Values in = parse_values({"step=1,1,0,1"}, again.interface().inputs(), Missing::refuse);
        EXPECT_EQ(again.simulate(in, 4), circuit.simulate(in, 4));
    }
    EXPECT_THROW(circuit.save(folder / "again.txt"), Error);
    const Interface interface = Interface::from_json(circuit.interface().to_json(), "text");
    EXPECT_EQ(interface.fingerprint(), circuit.interface().fingerprint());
    EXPECT_TRUE(interface.is_sequential());
    const FailureFigures figures = circuit.failure(ParameterSet::named("tfhe128"), 100);
    EXPECT_GT(figures.circuit_log2, figures.gate_log2);
}

}  // namespace
}  // namespace toroid
