// SPDX-License-Identifier: Apache-2.0
#include "compiler/verilog/synthesis_script.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "compiler/process/child_process.hpp"
#include "toroid/error.hpp"

namespace toroid::compiler {
namespace {

// Yosys 0.23 folds a constant shift count as a 32-bit int, so that a shift to the right by a lot becomes one
// to the left. Before anything is folded, counts are cut to 30 bits and saturated: no operand is that wide,
// the result is the same.
constexpr std::string_view wide_shift_rules = R"((* techmap_celltype = "$shl $shr $sshl $sshr" *)
module toroid_wide_shift (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  localparam KEPT = 30;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = B_WIDTH <= KEPT;
  generate if (B_WIDTH > KEPT) begin
    wire [KEPT-1:0] count = {|B[B_WIDTH-1:KEPT-1], B[KEPT-2:0]};
    if (_TECHMAP_CELLTYPE_ == "$shl")
      \$shl #(.A_SIGNED(A_SIGNED), .B_SIGNED(0), .A_WIDTH(A_WIDTH), .B_WIDTH(KEPT), .Y_WIDTH(Y_WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(count), .Y(Y));
    if (_TECHMAP_CELLTYPE_ == "$shr")
      \$shr #(.A_SIGNED(A_SIGNED), .B_SIGNED(0), .A_WIDTH(A_WIDTH), .B_WIDTH(KEPT), .Y_WIDTH(Y_WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(count), .Y(Y));
    if (_TECHMAP_CELLTYPE_ == "$sshl")
      \$sshl #(.A_SIGNED(A_SIGNED), .B_SIGNED(0), .A_WIDTH(A_WIDTH), .B_WIDTH(KEPT), .Y_WIDTH(Y_WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(count), .Y(Y));
    if (_TECHMAP_CELLTYPE_ == "$sshr")
      \$sshr #(.A_SIGNED(A_SIGNED), .B_SIGNED(0), .A_WIDTH(A_WIDTH), .B_WIDTH(KEPT), .Y_WIDTH(Y_WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(count), .Y(Y));
  end endgenerate
endmodule

// Indices too; and what is selected beyond the word becomes 0 (a $shift) instead of x (a $shiftx).
(* techmap_celltype = "$shift $shiftx" *)
module toroid_index (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  localparam KEPT = 30;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = B_WIDTH <= KEPT && _TECHMAP_CELLTYPE_ == "$shift";
  generate
    if (B_WIDTH > KEPT) begin
      wire sign = B_SIGNED ? B[B_WIDTH-1] : 1'b0;
      wire fits = B[B_WIDTH-1:KEPT-1] == {(B_WIDTH-KEPT+1){sign}};
      wire [KEPT-1:0] index = fits ? B[KEPT-1:0] : {sign, {(KEPT-1){!sign}}};
      \$shift #(.A_SIGNED(A_SIGNED), .B_SIGNED(1), .A_WIDTH(A_WIDTH), .B_WIDTH(KEPT), .Y_WIDTH(Y_WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(index), .Y(Y));
    end else
      \$shift #(.A_SIGNED(A_SIGNED), .B_SIGNED(B_SIGNED), .A_WIDTH(A_WIDTH), .B_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(B), .Y(Y));
  endgenerate
endmodule

// A divisor that is the constant 0 gives what the division circuit gives for a divisor that happens to be 0:
// quotient all ones (1 for a negative dividend), remainder the dividend. Yosys alone would give x, and so 0.
(* techmap_celltype = "$div $mod" *)
module toroid_division_by_zero (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  parameter _TECHMAP_CONSTMSK_B_ = 0;
  parameter _TECHMAP_CONSTVAL_B_ = 0;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam IS_SIGNED = A_SIGNED && B_SIGNED;
  wire _TECHMAP_FAIL_ = !(&_TECHMAP_CONSTMSK_B_) || |_TECHMAP_CONSTVAL_B_;
  wire negative = IS_SIGNED && A[A_WIDTH-1];
  generate
    if (_TECHMAP_CELLTYPE_ == "$mod")
      \$pos #(.A_SIGNED(IS_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) _TECHMAP_REPLACE_ (.A(A), .Y(Y));
    else if (Y_WIDTH == 1)
      assign Y = 1'b1;
    else
      assign Y = {{(Y_WIDTH-1){!negative}}, 1'b1};
  endgenerate
endmodule
)";

// Each gate is a bootstrap: the ripple chain has the fewest. The name sorts before Yosys's own prefix-adder
// rule.
constexpr std::string_view gate_rules = R"((* techmap_celltype = "$lcu" *)
module _00_toroid_ripple_carry (P, G, CI, CO);
  parameter WIDTH = 2;
  input [WIDTH-1:0] P, G;
  input CI;
  output [WIDTH-1:0] CO;
  wire [WIDTH:0] carry = {CO, CI};
  assign CO = G | (P & carry[WIDTH-1:0]);
endmodule
)";

// Yosys's own product forgets its line. Only for placed gates, whose number does not matter.
constexpr std::string_view product_rules = R"((* techmap_celltype = "$mul" *)
module _00_toroid_product (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  input [A_WIDTH-1:0] A;
  input [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  localparam IS_SIGNED = A_SIGNED && B_SIGNED;
  wire [Y_WIDTH-1:0] a, b;
  \$pos #(.A_SIGNED(IS_SIGNED), .A_WIDTH(A_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_a (.A(A), .Y(a));
  \$pos #(.A_SIGNED(IS_SIGNED), .A_WIDTH(B_WIDTH), .Y_WIDTH(Y_WIDTH)) extend_b (.A(B), .Y(b));
  genvar i;
  generate for (i = 0; i < Y_WIDTH; i = i + 1) begin : row
    wire [Y_WIDTH-1:0] sum;
    if (i == 0)
      assign sum = a & {Y_WIDTH{b[0]}};
    else
      assign sum = row[i-1].sum + ((a & {Y_WIDTH{b[i]}}) << i);
  end endgenerate
  assign Y = row[Y_WIDTH-1].sum;
endmodule
)";

// "check" names undriven nets, and "setundef" gives each one value before optimisation can give it two.
// Memories are collected before that, since it would turn off their read ports, whose enable is an x until
// then.
constexpr std::string_view first_passes = R"(proc -noopt
flatten
techmap -map {0}/wide_shift.v
check
opt_clean
memory_collect
setundef -undriven -zero
opt_expr
opt_clean
opt -full
wreduce
opt_clean
)";
// Flip-flops keep asynchronous controls only: enables and synchronous resets become logic that abc can share.
constexpr std::string_view passes_to_gates = R"(opt
memory -nomap
opt -full
memory_map
opt -full
dffunmap
opt_expr -mux_undef
opt_clean
techmap -map {0}/gates.v -map +/techmap.v
opt_expr
opt_merge
opt_clean
setundef -zero
)";
constexpr std::string_view last_passes = R"(abc -g AND,OR,XOR,XNOR,NAND,NOR,ANDNOT,ORNOT,MUX
opt_clean -purge
write_json {0}/{1}
)";

std::string folder_in_script() {
    return fmt::format("/proc/self/fd/{}", folder_descriptor);
}

constexpr std::string_view wide_shift_file = "wide_shift.v";
constexpr std::string_view gates_file = "gates.v";
constexpr std::string_view products_file = "products.v";

// A name is one word of the script: what could end or split it is refused.
void check_top(const std::string& top) {
    const bool is_plain =
        top.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.") ==
        std::string::npos;
    if (!is_plain || top.starts_with('-')) {
        throw Error(ErrorKind::circuit, fmt::format("'{}' cannot be the name of a top module", top));
    }
}

// A value is part of a word of the script.
void check_define(const std::string& define) {
    for (const char c : define) {
        if (c <= ' ' || c > '~' || c == '"' || c == ';' || c == '#' || c == '\\') {
            throw Error(ErrorKind::usage,
                        fmt::format("define '{}': in Verilog a value can have neither blanks, control "
                                    "characters nor any of \" ; # \\",
                                    define));
        }
    }
}

// The part of read_verilog that is the same for all sources.
std::string preprocessor_arguments(const std::filesystem::path& folder, const PreprocessorOptions& options) {
    check_preprocessor_options(options);
    std::string result;
    for (std::size_t i = 0; i < options.include_folders.size(); ++i) {
        const std::string link = include_folder_in_script(i);
        std::filesystem::create_directory_symlink(std::filesystem::absolute(options.include_folders[i]),
                                                  folder / std::filesystem::path(link).filename());
        result += fmt::format("-I{} ", link);
    }
    for (const std::string& define : options.defines) {
        check_define(define);
        result += fmt::format("-D{} ", with_value(define));
    }
    return result;
}

}  // namespace

std::string source_name_in_script(std::size_t index, const std::filesystem::path& source) {
    return fmt::format("{}/source{}{}", folder_in_script(), index,
                       source.extension() == ".sv" ? ".sv" : ".v");
}

std::string source_folder_in_script(std::size_t index) {
    return fmt::format("{}/own{}", folder_in_script(), index);
}

std::string include_folder_in_script(std::size_t index) {
    return fmt::format("{}/include{}", folder_in_script(), index);
}

bool is_mapping_rule(const std::string& file) {
    return file == fmt::format("{}/{}", folder_in_script(), wide_shift_file) ||
           file == fmt::format("{}/{}", folder_in_script(), gates_file) ||
           file == fmt::format("{}/{}", folder_in_script(), products_file) ||
           file.find("/share/yosys/") != std::string::npos;
}

void write_synthesis_folder(const std::filesystem::path& folder,
                            const std::vector<std::filesystem::path>& sources,
                            const VerilogOptions& options) {
    const std::string preprocessor = preprocessor_arguments(folder, options.preprocessor);
    std::string script;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const std::filesystem::path absolute = std::filesystem::absolute(sources[i]);
        const std::string name = source_name_in_script(i, sources[i]);
        const std::string own_folder = source_folder_in_script(i);
        std::filesystem::create_symlink(absolute, folder / std::filesystem::path(name).filename());
        std::filesystem::create_directory_symlink(absolute.parent_path(),
                                                  folder / std::filesystem::path(own_folder).filename());
        script += fmt::format("read_verilog {}-I{} {}{}\n", name.ends_with(".sv") ? "-sv " : "", own_folder,
                              preprocessor, name);
    }
    if (options.top.empty()) {
        script += "hierarchy -check -auto-top\n";
    } else {
        check_top(options.top);
        script += fmt::format("hierarchy -check -top {}\n", options.top);
    }
    // Else flattening would add the line of the instance to all that is inside.
    if (options.placed != nullptr) script += "setattr -unset src */c:* */t:$* %d */t:$paramod* %u\n";
    const auto add = [&](std::string_view passes) {
        script += fmt::format(fmt::runtime(passes), folder_in_script(), output_file_name);
    };
    add(first_passes);
    if (options.placed != nullptr) script += "design -save before_arithmetic\n";
    script += "alumacc\n";
    add(passes_to_gates);
    add(last_passes);
    if (options.placed != nullptr) {
        // Without alumacc, which merges sums of several lines.
        script += fmt::format("design -load before_arithmetic\ntechmap -map {}/{}\n", folder_in_script(),
                              products_file);
        add(passes_to_gates);
        script += fmt::format("write_json {}/{}\n", folder_in_script(), placed_file_name);
        base::write_file(folder / products_file, std::string(product_rules), base::FileMode::ordinary);
    }
    base::write_file(folder / wide_shift_file, std::string(wide_shift_rules), base::FileMode::ordinary);
    base::write_file(folder / gates_file, std::string(gate_rules), base::FileMode::ordinary);
    base::write_file(folder / script_file_name, script, base::FileMode::ordinary);
}

}  // namespace toroid::compiler
