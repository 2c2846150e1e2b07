// SPDX-License-Identifier: Apache-2.0
#include "circuit/netlist_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>
#include <sstream>

#include "circuit/circuit_builder.hpp"
#include "circuit/simulator.hpp"
#include "support/seed.hpp"
#include "toroid/error.hpp"

namespace toroid::circuit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t all = ~std::uint64_t{0};

std::filesystem::path data(const std::string& name) {
    return std::filesystem::path(TOROID_SOURCE_DIR) / "tests/circuit/data" / name;
}
std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream.good()) << path;
    std::ostringstream out;
    out << stream.rdbuf();
    return out.str();
}

using Reader = Circuit (*)(std::string_view, const std::string&, const ReadOptions&);
std::string error_of(Reader reader, const std::string& text) {
    try {
        (void)reader(text, "t", {});
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::circuit) << error.what();
        return error.what();
    }
    return "no error";
}

/// A file for one test, removed with it.
class TemporaryFile {
 public:
    TemporaryFile(const std::string& name, const std::string& bytes)
        : path_(std::filesystem::path(testing::TempDir()) / ("toroid_circuit_" + name)) {
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
    std::filesystem::path path_;
};

std::string gzipped(const std::string& text) {
    z_stream stream{};
    EXPECT_EQ(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    std::string out(deflateBound(&stream, text.size()) + 64, '\0');
    std::string in = text;
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

TEST(Bristol, FashionAndOldFormat) {
    const Circuit fashion = read_netlist(data("full_adder.txt"), {true, nullptr});
    ASSERT_EQ(fashion.inputs.size(), 3U);
    EXPECT_EQ(fashion.inputs[2].name, "in2");
    ASSERT_EQ(fashion.outputs.size(), 2U);
    EXPECT_THAT(Simulator(fashion).step(std::vector<std::uint64_t>{0xaa, 0xcc, 0xf0}),
                ElementsAre(0x96, 0xe8));
    const Circuit old = read_netlist(data("adder_old.txt"), {true, nullptr});
    ASSERT_EQ(old.inputs.size(), 2U);
    ASSERT_EQ(old.outputs.size(), 1U);
    Simulator simulator(old);
    for (unsigned a = 0; a < 4; ++a) {
        for (unsigned b = 0; b < 4; ++b) {
            const std::vector<std::uint64_t> in = {a & 1, a >> 1, b & 1, b >> 1};
            const auto out = simulator.step(in);
            EXPECT_EQ((out[0] & 1) + 2 * (out[1] & 1) + 4 * (out[2] & 1), a + b);
        }
    }
}

TEST(Bristol, EveryGateWord) {
    const Circuit circuit = read_bristol(
        "12 19\n1 3\n13 1 1 1 1 1 1 1 1 1 1 1 1 1\n"
        "2 1 0 1 6 XOR\n2 1 0 1 7 AND\n1 1 0 8 INV\n1 1 0 9 NOT\n1 1 1 10 EQ\n1 1 2 11 EQW\n2 1 0 1 12 OR\n"
        "2 1 0 1 13 NAND\n2 1 0 1 14 NOR\n2 1 0 1 15 XNOR\n3 1 0 1 2 16 MUX\n4 2 0 1 2 2 17 18 MAND\n",
        "t", {true, nullptr});
    EXPECT_THAT(
        Simulator(circuit).step(std::vector<std::uint64_t>{0xaa, 0xcc, 0xf0}),
        ElementsAre(0x66, 0x88, ~std::uint64_t{0xaa}, ~std::uint64_t{0xaa}, all, 0xf0, 0xee,
                    ~std::uint64_t{0x88}, ~std::uint64_t{0xee}, ~std::uint64_t{0x66}, 0xca, 0xa0, 0xc0));
    const Circuit constant = read_bristol("1 1\n0\n1 1\n1 1 0 0 EQ\n", "t", {true, nullptr});
    EXPECT_TRUE(constant.inputs.empty());
    EXPECT_THAT(Simulator(constant).step({}), ElementsAre(0));
}

TEST(Bristol, GatesInAnyOrder) {
    const Circuit circuit = read_bristol("2 4\n1 2\n1 1\n1 1 2 3 INV\n2 1 0 1 2 AND\n", "t", {true, nullptr});
    EXPECT_THAT(Simulator(circuit).step(std::vector<std::uint64_t>{0b0101, 0b0011}),
                ElementsAre(~std::uint64_t{1}));
}

TEST(Bristol, FaultsNameTheirLine) {
    const std::string head = "2 5\n1 3\n1 1\n";
    EXPECT_THAT(error_of(read_bristol, ""), HasSubstr("empty"));
    EXPECT_THAT(error_of(read_bristol, "2\n"), HasSubstr("t:1:"));
    EXPECT_THAT(error_of(read_bristol, "x 5\n1 3\n1 1\n"), HasSubstr("t:1:"));
    EXPECT_THAT(error_of(read_bristol, "2 5\n"), HasSubstr("ends in the header"));
    EXPECT_THAT(error_of(read_bristol, "2 5\n2 3\n1 1\n"), HasSubstr("t:2:"));
    EXPECT_THAT(error_of(read_bristol, "2 5\n1 3\n2 1\n"), HasSubstr("t:3:"));
    EXPECT_THAT(error_of(read_bristol, "0 3\n1 4\n1 1\n"), HasSubstr("4 input"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 3 XOR\n"), HasSubstr("after 1 of 2 gates"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 3 XOR\n2 1 0 3 4 AND\n1 1 3 4 INV\n"),
                HasSubstr("t:6:"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 3 XOR\n2 1 0 2 3 XOR\n"),
                HasSubstr("t:5: wire 3 is already driven in line 4"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 2 XOR\n2 1 0 2 4 XOR\n"),
                HasSubstr("t:4: the gate drives input wire 2"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 5 XOR\n2 1 0 2 4 XOR\n"),
                HasSubstr("t:4: wire 5 does not exist"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 4 XOR\n1 1 3 3 INV\n"),
                HasSubstr("t:5: wire 3 lies on a loop"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 4 3 XOR\n1 1 3 4 INV\n"), HasSubstr("loop"));
    EXPECT_THAT(error_of(read_bristol, "1 5\n1 3\n1 1\n2 1 0 3 4 XOR\n"),
                HasSubstr("t:4: wire 3 is never driven"));
    EXPECT_THAT(error_of(read_bristol, "1 5\n1 3\n1 1\n2 1 0 1 3 XOR\n"),
                HasSubstr("wire 4 is never driven"));
    EXPECT_THAT(error_of(read_bristol, head + "2 1 0 1 3 FOO\n2 1 0 2 4 XOR\n"),
                HasSubstr("t:4: unknown gate FOO"));
    EXPECT_THAT(error_of(read_bristol, head + "3 1 0 1 2 3 INV\n2 1 0 2 4 XOR\n"), HasSubstr("t:4:"));
    EXPECT_THAT(error_of(read_bristol, head + "3 1 0 1 3 XOR\n2 1 0 2 4 XOR\n"), HasSubstr("t:4:"));
    EXPECT_THAT(error_of(read_bristol, head + "1 1 2 3 EQ\n2 1 0 2 4 XOR\n"), HasSubstr("EQ"));
    // Counts that a file of this size cannot bear out are refused before anything is allocated.
    EXPECT_THAT(error_of(read_bristol, "1 18446744073709551615\n1 3\n1 1\n1 1 0 3 INV\n"),
                HasSubstr("cannot all be driven"));
    EXPECT_THAT(error_of(read_bristol, "1 99999999999\n1 99999999998\n1 1\n1 1 0 3 INV\n"),
                HasSubstr("input"));
    EXPECT_THAT(error_of(read_bristol, "99999999999999999999 5\n1 3\n1 1\n"), HasSubstr("not a number"));
}

TEST(Bench, CombinationalAndRegisters) {
    const Circuit circuit = read_netlist(data("pulse.bench"), {true, nullptr});
    Simulator simulator(circuit);
    EXPECT_THAT(simulator.step(std::vector<std::uint64_t>{0b01, 0b00}), ElementsAre(0b01));
    EXPECT_THAT(simulator.step(std::vector<std::uint64_t>{0b00, 0b00}), ElementsAre(0b01));
    EXPECT_THAT(simulator.step(std::vector<std::uint64_t>{0b00, 0b00}), ElementsAre(0b00));
    EXPECT_THAT(simulator.step(std::vector<std::uint64_t>{0b11, 0b10}), ElementsAre(0b01));
}

TEST(Bench, FaultsNameTheirLine) {
    EXPECT_THAT(error_of(read_bench, ""), HasSubstr("no gate"));
    EXPECT_THAT(error_of(read_bench, "INPUT(a)\nOUTPUT(y)\ny = FOO(a)\n"),
                HasSubstr("t:3: unknown gate FOO"));
    EXPECT_THAT(error_of(read_bench, "INPUT(a)\nOUTPUT(y)\ny = NOT(a, a)\n"), HasSubstr("t:3:"));
    EXPECT_THAT(error_of(read_bench, "INPUT(a)\nOUTPUT(y)\ny = NOT(a\n"),
                HasSubstr("t:3: a closing parenthesis"));
    EXPECT_THAT(error_of(read_bench, "INPUT(a)\nOUTPUT(y)\ny = NOT(a)\ny = NOT(a)\n"),
                HasSubstr("t:4: net y has two drivers"));
    EXPECT_THAT(error_of(read_bench, "INPUT(a)\nINPUT(a)\n"), HasSubstr("t:2:"));
    EXPECT_THAT(error_of(read_bench, "INPUT(a)\ny = AND(a,)\n"), HasSubstr("t:2:"));
    EXPECT_THAT(error_of(read_bench, "hello\n"), HasSubstr("t:1:"));
    EXPECT_THAT(error_of(read_bench, "y = DFF()\n"), HasSubstr("t:1:"));
}

Circuit everything() {
    CircuitBuilder builder("a name with blanks, 100%");
    const auto x = builder.add_input("in put#", 3, true);
    const auto y = builder.add_input("y", 1);
    const Literal carry = builder.majority(x[0], x[1], !x[2]);
    const WeightedLiteral sum[] = {{x[0], 1}, {x[1], 1}, {!x[2], 1}, {carry, -2}};
    const Literal form = builder.linear_form(sum, 0);
    const Literal state = builder.add_register("r\n", true);
    builder.set_next(state, !builder.mux(y[0], form, state));
    builder.add_output("o", {form, !carry, Literal::constant(true)}, true);
    builder.add_output("", {state});
    return builder.finish();
}

TEST(Native, RoundTripIsExact) {
    const Circuit circuit = everything();
    const std::string text = write_native(circuit);
    EXPECT_TRUE(text.starts_with("toroid-circuit 1\n"));
    const Circuit again = read_native(text, "t", {true, nullptr});
    EXPECT_EQ(write_native(again), text);
    EXPECT_EQ(again.name, circuit.name);
    EXPECT_EQ(again.signal_count, circuit.signal_count);
    EXPECT_EQ(again.operands, circuit.operands);
    ASSERT_EQ(again.inputs.size(), 2U);
    EXPECT_EQ(again.inputs[0].name, "in put#");
    EXPECT_TRUE(again.inputs[0].is_signed);
    EXPECT_FALSE(again.inputs[1].is_signed);
    EXPECT_TRUE(again.outputs[0].is_signed);
    EXPECT_EQ(again.outputs[0].bits, circuit.outputs[0].bits);
    EXPECT_EQ(again.outputs[1].name, "");
    EXPECT_EQ(again.registers[0].name, "r\n");
    EXPECT_TRUE(again.registers[0].init);
    EXPECT_EQ(again.registers[0].next, circuit.registers[0].next);
}

TEST(Native, EveryCutAndEveryChangedByteIsNoticed) {
    const std::string text = write_native(everything());
    for (std::size_t length = 0; length < text.size() - 1; ++length) {
        EXPECT_NE(error_of(read_native, text.substr(0, length)), "no error") << length;
    }
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        for (const char other : {'0', '7', '!', ' ', '\n'}) {
            std::string changed = text;
            if (changed[at] == other) continue;
            changed[at] = other;
            EXPECT_NE(error_of(read_native, changed), "no error") << at << " " << other;
        }
    }
    EXPECT_THAT(error_of(read_native, text + "more\n"), HasSubstr("follows the closing line"));
    std::string future = text;
    future.replace(future.find('1'), 1, "2");
    EXPECT_THAT(error_of(read_native, future), HasSubstr("version 2 is not supported"));
}

TEST(Native, RefusesWhatIsWrongInside) {
    const std::string head = "toroid-circuit 1\nname t\ninput a 2 unsigned\n";
    for (const auto& [line, message] : std::vector<std::pair<std::string, std::string>>{
             {"bootstrap -1 1*1 1*3", "does not exist yet"},
             {"bootstrap 1*1", "no offset"},
             {"bootstrap 0 1x1", "no operand"},
             {"bootstrap 0 99999999999*1", "no operand"},
             {"bootstrap 300 1*1", "no offset"},
             {"pair 1 | 0 1*1", "a pair takes"},
             {"pair 1 0 1*1 | 0 1*2", "a pair takes"},
             {"pair 1 | 0 1*1 |", "offset is missing"},
             {"next 1", "more next lines"},
             {"output o unsigned 3", "no literal"},
             {"output o unsigned !x", "no literal"},
             {"output o maybe 1", "signed or unsigned"},
             {"input a 1 unsigned", "two inputs"},
             {"input b 0 unsigned", "no width"},
             {"input b 99999999999 unsigned", "no width"},
             {"register r 2", "not 0 or 1"},
             {"register r 0\nend 0 0", "checksum"},
             {"what", "unknown line"},
             {"output o unsigned 1\nbootstrap 0 1*1", "signals come before"},
             {"", "empty line"},
             {"input %zz 1 unsigned", "broken escape"},
             {"end 5 0", "announces 5 gates"}}) {
        EXPECT_THAT(error_of(read_native, head + line + "\n"), HasSubstr(message)) << line;
    }
}

TEST(ReadNetlist, ByExtensionByContentAndGzip) {
    const std::string blif = text_of(data("counter.blif"));
    const std::string native = write_native(everything());
    const TemporaryFile plain("a.blif", blif);
    const TemporaryFile packed("a.blif.gz", gzipped(blif));
    const TemporaryFile unnamed("a.data", "\n" + blif);
    const TemporaryFile odd("b.netlist", native);
    const TemporaryFile text("c.txt", native);
    const TemporaryFile bench("d", text_of(data("pulse.bench")));
    const TemporaryFile bristol("e.gz", gzipped(text_of(data("full_adder.txt"))));
    const std::string expected = write_native(read_netlist(data("counter.blif"), {}));
    for (const auto* file : {&plain, &packed, &unnamed})
        EXPECT_EQ(write_native(read_netlist(file->path(), {})), expected);
    EXPECT_EQ(write_native(read_netlist(odd.path(), {})), native);
    EXPECT_EQ(write_native(read_netlist(text.path(), {})), native);
    EXPECT_EQ(read_netlist(bench.path(), {}).registers.size(), 1U);
    EXPECT_EQ(read_netlist(bristol.path(), {}).inputs.size(), 3U);
}

TEST(ReadNetlist, RefusesDamagedGzipAndUnknownContent) {
    const std::string packed = gzipped(text_of(data("counter.blif")));
    const auto kind = [](const std::string& name, const std::string& bytes) {
        const TemporaryFile file(name, bytes);
        try {
            (void)read_netlist(file.path(), {});
        } catch (const Error& error) {
            EXPECT_THAT(error.what(), HasSubstr(name));
            return error.kind();
        }
        return ErrorKind::internal;
    };
    for (std::size_t length = 2; length < packed.size(); ++length) {
        EXPECT_EQ(kind("cut.gz", packed.substr(0, length)), ErrorKind::format) << length;
    }
    std::string broken = packed;
    broken[packed.size() / 2] = static_cast<char>(broken[packed.size() / 2] ^ 0x55);
    EXPECT_EQ(kind("broken.gz", broken), ErrorKind::format);
    EXPECT_EQ(kind("trailing.gz", packed + "rubbish"), ErrorKind::format);
    // 10 MB of blanks in 10 kB.
    EXPECT_EQ(kind("bomb.gz", gzipped(std::string(10'000'000, ' '))), ErrorKind::format);
    EXPECT_EQ(kind("words.dat", "hello\n"), ErrorKind::circuit);
    EXPECT_EQ(kind("empty.dat", ""), ErrorKind::circuit);
    EXPECT_THROW((void)read_netlist("/nonexistent/x.blif", {}), Error);
}

// Random damage to good files: an error of kind circuit or a circuit that simulates, never anything else.
TEST(ReadNetlist, MutatedTextsNeverCrash) {
    auto random = tests::generator(30);
    const std::vector<std::pair<Reader, std::string>> corpus = {
        {read_bristol, text_of(data("full_adder.txt"))},
        {read_bristol, text_of(data("adder_old.txt"))},
        {read_blif, text_of(data("counter.blif"))},
        {read_bench, text_of(data("pulse.bench"))},
        {read_native, write_native(everything())}};
    std::size_t accepted = 0;
    for (int round = 0; round < 4000; ++round) {
        const auto& [reader, text] = corpus[static_cast<std::size_t>(round) % corpus.size()];
        std::string damaged = text;
        for (std::uint64_t edits = random() % 4; edits-- > 0;) {
            const std::size_t at = random() % damaged.size();
            switch (random() % 4) {
                case 0:
                    damaged[at] = static_cast<char>(random());
                    break;
                case 1:
                    damaged.erase(at, random() % 8);
                    break;
                case 2:
                    damaged.insert(at, damaged.substr(random() % damaged.size(), random() % 16));
                    break;
                default:
                    damaged[at] = "0123456789 .\n-=[]#\\"[random() % 19];
            }
            if (damaged.empty()) damaged = "\n";
        }
        try {
            const Circuit circuit = reader(damaged, "t", {});
            std::size_t bits = 0;
            for (const InputPort& port : circuit.inputs) bits += port.signals.size();
            (void)Simulator(circuit).step(std::vector<std::uint64_t>(bits, random()));
            (void)write_blif(circuit);
            ++accepted;
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), ErrorKind::circuit) << error.what();
        }
    }
    EXPECT_GT(accepted, 500U);
}

}  // namespace
}  // namespace toroid::circuit
