// SPDX-License-Identifier: Apache-2.0
#include "compiler/random_c_program.hpp"

#include <array>

namespace toroid::compiler::tests {
namespace {

constexpr unsigned most_heavy_operations = 5;
constexpr unsigned deepest_block = 3;

}  // namespace

const RandomCProgram::Type& RandomCProgram::type() {
    static constexpr std::array<Type, 9> types{{{"uint8_t", "uint8_t", 32},
                                                {"int8_t", "uint8_t", 32},
                                                {"uint16_t", "uint16_t", 32},
                                                {"int16_t", "uint16_t", 32},
                                                {"uint32_t", "uint32_t", 32},
                                                {"int32_t", "uint32_t", 32},
                                                {"uint64_t", "uint64_t", 64},
                                                {"int64_t", "uint64_t", 64},
                                                {"bool", "uint8_t", 32}}};
    return types.at(below(types.size()));
}

std::string RandomCProgram::number() {
    switch (below(4)) {
        case 0:
            return std::to_string(below(4));
        case 1:
            return "-" + std::to_string(1 + below(9));
        case 2:
            return std::to_string(below(70000));
        default:
            return "0x" + std::to_string(1 + below(9)) + "f" + std::to_string(below(90)) + "u";
    }
}

std::string RandomCProgram::element() {
    const Array& array = arrays_[below(static_cast<unsigned>(arrays_.size()))];
    const std::string index = chance(40) ? std::to_string(below(array.mask + 1))
                                         : "(" + leaf() + ") & " + std::to_string(array.mask);
    return array.name + "[" + index + "]";
}

std::string RandomCProgram::leaf() {
    if (chance(20)) return number();
    return variables_[below(static_cast<unsigned>(variables_.size()))].name;
}

std::string RandomCProgram::condition(unsigned depth) {
    constexpr std::array<const char*, 6> relations{"<", "<=", ">", ">=", "==", "!="};
    const std::string compared = "(" + expression(depth) + ") " + relations.at(below(relations.size())) +
                                 " (" + expression(depth) + ")";
    if (depth == 0 || chance(70)) return compared;
    return compared + (chance(50) ? " && " : " || ") + condition(depth - 1);
}

std::string RandomCProgram::expression(unsigned depth) {
    if (depth == 0 || chance(20)) return !arrays_.empty() && chance(25) ? element() : leaf();
    const auto operand = [&] { return "(" + expression(depth - 1) + ")"; };
    switch (below(12)) {
        case 0:
        case 1:
            return operand() + (chance(50) ? " + " : " - ") + operand();
        case 2: {
            constexpr std::array<const char*, 3> operators{" & ", " | ", " ^ "};
            return operand() + operators.at(below(operators.size())) + operand();
        }
        case 3:
            if (heavy_left_ == 0) return "~" + operand();
            --heavy_left_;
            return operand() + " * " + operand();
        case 4: {
            if (heavy_left_ == 0) return "-" + operand();
            --heavy_left_;
            const char* const divide = chance(50) ? " / " : " % ";
            if (chance(50)) return operand() + divide + std::to_string(1 + below(20));
            return operand() + divide + "(((" + expression(depth - 1) + ") & 15) + 1)";
        }
        case 5: {
            const Type& of = type();
            const std::string amount =
                chance(50) ? std::to_string(below(of.width))
                           : "((" + expression(depth - 1) + ") & " + std::to_string(of.width - 1) + ")";
            // Left of what is unsigned after promotion too, so that no bit is shifted into a sign.
            if (chance(50)) {
                return std::string("(") + (of.width == 64 ? "uint64_t" : "uint32_t") + ")" + operand() +
                       " << " + amount;
            }
            return std::string("(") + of.name + ")" + operand() + " >> " + amount;
        }
        case 6:
            return "(" + condition(depth - 1) + " ? " + expression(depth - 1) + " : " +
                   expression(depth - 1) + ")";
        case 7:
            return std::string("(") + type().name + ")" + operand();
        case 8:
            return (chance(50) ? "!" : "~") + operand();
        case 9:
            return "(" + condition(depth - 1) + ")";
        case 10:
            if (may_call_) return "helper(" + expression(depth - 1) + ", " + expression(depth - 1) + ")";
            return "-" + operand();
        default:
            return arrays_.empty() ? leaf() : element();
    }
}

std::string RandomCProgram::place() {
    for (int trial = 0; trial < 8; ++trial) {
        if (!arrays_.empty() && chance(30)) {
            const Array& array = arrays_[below(static_cast<unsigned>(arrays_.size()))];
            if (array.is_constant) continue;
            return array.name + "[(" + leaf() + ") & " + std::to_string(array.mask) + "]";
        }
        const Variable& variable = variables_[below(static_cast<unsigned>(variables_.size()))];
        if (!variable.is_constant) return variable.name;
    }
    return "result";
}

void RandomCProgram::line(const std::string& text) {
    text_.append(4 * indentation_, ' ');
    text_ += text + "\n";
}

void RandomCProgram::block(unsigned count, unsigned depth) {
    ++indentation_;
    const std::size_t variables = variables_.size();
    statements(count, depth);
    variables_.resize(variables);
    --indentation_;
}

void RandomCProgram::statements(unsigned count, unsigned depth) {
    for (unsigned i = 0; i < count; ++i) statement(depth);
}

void RandomCProgram::declaration() {
    const std::string name = new_name("v");
    const std::string value = expression(2);
    line(std::string(type().name) + " " + name + " = " + value + ";");
    variables_.push_back({name, false});
}

void RandomCProgram::branch(unsigned depth) {
    line("if (" + condition(1) + ") {");
    block(1 + below(2), depth + 1);
    if (chance(50)) {
        line("} else {");
        block(1 + below(2), depth + 1);
    }
    line("}");
}

void RandomCProgram::choice(unsigned depth) {
    line("switch ((" + expression(1) + ") & 7) {");
    ++indentation_;
    for (unsigned value = below(3); value < 8; value += 1 + below(4)) {
        line("case " + std::to_string(value) + ": {");
        block(1, depth + 1);
        if (chance(70)) line("    break;");
        line("}");
    }
    line("default: {");
    block(1, depth + 1);
    line("}");
    --indentation_;
    line("}");
}

void RandomCProgram::loop(unsigned depth) {
    const std::string counter = new_name("i");
    const std::string rounds = chance(50) ? std::to_string(1 + below(4)) : "((" + leaf() + ") & 3)";
    const unsigned kind = below(3);
    if (kind == 0) {
        line("for (int " + counter + " = 0; " + counter + " < " + rounds + "; ++" + counter + ") {");
    } else {
        line("unsigned " + counter + " = (unsigned)" + rounds + " & 3;");
        line(kind == 1 ? "while (" + counter + "--) {" : "do {");
    }
    variables_.push_back({counter, true});
    ++loops_;
    block(1 + below(2), depth + 1);
    if (chance(40)) line("    if (" + condition(1) + ") " + (chance(50) ? "break;" : "continue;"));
    block(1, depth + 1);
    --loops_;
    line(kind == 2 ? "} while (" + counter + "-- != 0);" : "}");
    if (kind == 0) variables_.pop_back();
}

void RandomCProgram::statement(unsigned depth) {
    const bool may_nest = depth < deepest_block;
    switch (below(may_nest ? 10 : 5)) {
        case 0:
            declaration();
            return;
        case 1: {
            constexpr std::array<const char*, 6> operators{" += ", " -= ", " &= ", " |= ", " ^= ", " = "};
            const std::string to = place();
            line(to + operators.at(below(operators.size())) + expression(2) + ";");
            return;
        }
        case 2:
            if (chance(15) && depth > 0) {
                line("if (" + condition(1) + ") return " + expression(1) + ";");
                return;
            }
            [[fallthrough]];
        case 3:
        case 4: {
            const std::string to = place();
            line(to + " = " + expression(3) + ";");
            return;
        }
        case 5:
        case 6:
            branch(depth);
            return;
        case 7:
            choice(depth);
            return;
        default:
            if (loops_ < 2) {
                loop(depth);
            } else {
                branch(depth);
            }
            return;
    }
}

std::string RandomCProgram::text() {
    heavy_left_ = most_heavy_operations;
    text_ = "#include <stdbool.h>\n#include <stdint.h>\n\n";
    const Type& first = type();
    const Type& second = type();
    text_ += std::string("struct pair {\n    ") + first.name + " x;\n    " + second.name + " y[2];\n};\n\n";
    text_ += "static const int16_t table[8] = {" + number();
    for (int i = 1; i < 8; ++i) text_ += ", (int16_t)" + number();
    text_ += "};\n\n";

    variables_ = {{"a", false}, {"b", true}};
    arrays_ = {{"table", 7, true}};
    const std::string result = type().name;
    text_ += "static " + result + " helper(" + type().name + " a, const " + type().name + " b) {\n";
    line("    " + result + " result = 0;");
    variables_.push_back({"result", false});
    block(1 + below(3), 1);
    text_ += "    return result + " + expression(1) + ";\n}\n\n";

    may_call_ = true;
    variables_ = {{"p", false}, {"q", true}, {"r", false}, {"s->x", false}, {"result", false}};
    arrays_ = {
        {"table", 7, true}, {"in", 7, true}, {"out", 3, false}, {"s->y", 1, false}, {"local", 3, false}};
    const std::string returned = type().name;
    text_ += returned + " f(" + type().name + " p, const " + type().name + " q, " + type().name +
             " r, const " + type().name + " in[8],\n    " + type().name + " out[4], struct pair *s) {\n";
    line("    " + returned + " result = 0;");
    line(std::string("    ") + type().name + " local[4] = {0, 1};");
    block(6 + below(6), 0);
    text_ += "    return result ^ " + expression(2) + ";\n}\n";
    return text_;
}

}  // namespace toroid::compiler::tests
