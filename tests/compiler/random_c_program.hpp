// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace toroid::compiler::tests {

/// Writes C functions that C defines for all inputs: arithmetic of every width, shifts by less than the
/// width, divisors that are not 0, branches, loops that end, arrays at masked indices, structures, a called
/// function, early returns. The same seed gives the same text.
class RandomCProgram {
 public:
    explicit RandomCProgram(std::uint64_t seed) : random_(seed) {}
    /// A file whose only function that is not static is `f`.
    [[nodiscard]] std::string text();

 private:
    struct Type {
        const char* name;
        const char* unsigned_name;
        unsigned width;  ///< after the usual promotion: 32 or 64
    };
    struct Variable {
        std::string name;
        bool is_constant = false;  ///< counters of loops and what is passed as const
    };
    struct Array {
        std::string name;
        unsigned mask = 0;
        bool is_constant = false;
    };

    [[nodiscard]] unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    [[nodiscard]] bool chance(unsigned percent) { return below(100) < percent; }
    [[nodiscard]] const Type& type();
    [[nodiscard]] std::string number();
    [[nodiscard]] std::string leaf();
    [[nodiscard]] std::string element();
    [[nodiscard]] std::string expression(unsigned depth);
    [[nodiscard]] std::string condition(unsigned depth);
    [[nodiscard]] std::string place();  ///< what can be assigned to
    [[nodiscard]] std::string new_name(const char* start) { return start + std::to_string(names_++); }

    void line(const std::string& text);
    void statements(unsigned count, unsigned depth);
    void statement(unsigned depth);
    void declaration();
    void branch(unsigned depth);
    void choice(unsigned depth);
    void loop(unsigned depth);
    void block(unsigned count, unsigned depth);

    std::mt19937_64 random_;
    std::string text_;
    unsigned indentation_ = 0;
    unsigned names_ = 0;
    unsigned loops_ = 0;       ///< around the present place
    unsigned heavy_left_ = 0;  ///< products and quotients still allowed
    bool may_call_ = false;
    std::vector<Variable> variables_;
    std::vector<Array> arrays_;
};

}  // namespace toroid::compiler::tests
