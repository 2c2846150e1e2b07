// SPDX-License-Identifier: Apache-2.0
// Include folders and defines of C and Verilog.
#include <functional>

#include "compiler/c_support.hpp"
#include "compiler/process/preprocessor_options.hpp"
#include "compiler/verify/icarus.hpp"
#include "compiler/verilog/verilog_reader.hpp"

namespace toroid::compiler::tests {
namespace {

using testing::HasSubstr;

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

std::string refused(ErrorKind kind, const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), kind) << error.what();
        return error.what();
    }
    return "accepted";
}

TEST(Preprocessor, WrongOptionsAreNamed) {
    const auto check = [](const PreprocessorOptions& options) {
        return [options] { check_preprocessor_options(options); };
    };
    EXPECT_THAT(refused(ErrorKind::io, check({{"no/such/folder"}, {}})), HasSubstr("'no/such/folder'"));
    const TemporaryFolder folder;
    write(folder.path() / "file.h", "");
    EXPECT_THAT(refused(ErrorKind::io, check({{folder.path() / "file.h"}, {}})), HasSubstr("file.h"));
    for (const char* define : {"", "=3", "3x", "a b=1", "f(x)=x", "-x", "a-b"})
        EXPECT_THAT(refused(ErrorKind::usage, check({{}, {define}})), HasSubstr("no name of a macro"));
    EXPECT_THAT(refused(ErrorKind::usage, check({{}, {"x=1\n2"}})), HasSubstr("one line"));
    EXPECT_EQ(refused(ErrorKind::usage, check({{folder.path()}, {"_x1", "Y=", "z=a=b c"}})), "accepted");
}

TEST(Preprocessor, ReachesCAndItsNativeCode) {
    TOROID_REQUIRE_CLANG();
    const TemporaryFolder folder;
    write(folder.path() / "far away" / "width.h", "typedef unsigned char number;\n#define ADDED SHIFT + 1\n");
    COptions options;
    options.preprocessor = {{folder.path() / "far away"}, {"SHIFT=2 * 3", "ON"}};
    const Compiled compiled = compile_text(
        "#include <width.h>\nnumber f(number a) { return ON == 1 ? a + (ADDED) : 0; }\n", options);
    EXPECT_EQ(compiled.check.compared, 64U);
    EXPECT_EQ(run(compiled, {{"a", 10}}).at("result"), 17);
    options.preprocessor.include_folders.clear();
    EXPECT_THAT(refusal("#include <width.h>\nint f(int a) { return a; }\n", options), HasSubstr("width.h"));
}

TEST(Preprocessor, ReachesVerilogAndIcarus) {
    if (!find_program("yosys") || !find_program("iverilog"))
        GTEST_SKIP() << "yosys or iverilog is not installed";
    const TemporaryFolder folder;
    write(folder.path() / "far away" / "width.vh", "`define WIDTH 8\n");
    const std::filesystem::path file = folder.path() / "top.v";
    write(file,
          "`include \"width.vh\"\nmodule top(input [`WIDTH-1:0] a, output [`WIDTH-1:0] y);\n"
          "`ifdef ON\n  assign y = a + `ADDED + `ON;\n`else\n  assign y = 0;\n`endif\nendmodule\n");
    VerilogOptions options;
    options.preprocessor = {{folder.path() / "far away"}, {"ADDED=(8'h06)", "ON"}};
    const circuit::Circuit circuit = read_verilog({file}, options, {});
    const circuit::Values out = circuit::simulate(circuit, {{"a", {base::BitVector(8, false)}}}, 1);
    EXPECT_EQ(base::format_decimal(out.at("y")[0], false), "7");
    IcarusOptions icarus;
    icarus.preprocessor = options.preprocessor;
    EXPECT_EQ(compare_with_icarus({file}, circuit, {}, icarus), "");
    icarus.preprocessor.defines = {"ADDED=5", "ON"};
    EXPECT_THAT(refused(ErrorKind::circuit, [&] { (void)compare_with_icarus({file}, circuit, {}, icarus); }),
                HasSubstr("verification failed"));
    // What would end or split a word of Yosys's script.
    for (const char* define : {"ADDED=1; exec -- true", "ADDED=1;", "ADDED=\"x\"", "ADDED=#1", "ADDED=\\"}) {
        options.preprocessor.defines = {define, "ON"};
        EXPECT_THAT(refused(ErrorKind::usage, [&] { (void)read_verilog({file}, options, {}); }),
                    HasSubstr("in Verilog a value"))
            << define;
    }
}

}  // namespace
}  // namespace toroid::compiler::tests
