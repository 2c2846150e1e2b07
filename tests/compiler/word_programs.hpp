// SPDX-License-Identifier: Apache-2.0
// The programs whose cost is known from the field, as word graphs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/word/word_graph.hpp"

namespace toroid::compiler::programs {

inline WordGraph add(std::uint32_t width) {
    WordGraph graph;
    const Word a = graph.input("a", width, true);
    const Word b = graph.input("b", width, true);
    graph.output("sum", graph.add(a, b), true);
    return graph;
}

inline WordGraph signed_less(std::uint32_t width) {
    WordGraph graph;
    const Word a = graph.input("a", width, true);
    const Word b = graph.input("b", width, true);
    graph.output("less", graph.signed_less(a, b), false);
    return graph;
}

/// Signed width x width -> 2 width.
inline WordGraph multiply(std::uint32_t width) {
    WordGraph graph;
    const Word a = graph.sign_extend(graph.input("a", width, true), 2 * width);
    const Word b = graph.sign_extend(graph.input("b", width, true), 2 * width);
    graph.output("product", graph.multiply(a, b), true);
    return graph;
}

/// sum a_i b_i of signed words, as wide as `sum_width`.
inline WordGraph dot_product(std::uint32_t count, std::uint32_t width, std::uint32_t sum_width) {
    WordGraph graph;
    std::vector<Word> a;
    std::vector<Word> b;
    for (std::uint32_t i = 0; i < count; ++i) a.push_back(graph.input("a" + std::to_string(i), width, true));
    for (std::uint32_t i = 0; i < count; ++i) b.push_back(graph.input("b" + std::to_string(i), width, true));
    Word sum = graph.constant(0, sum_width);
    for (std::uint32_t i = 0; i < count; ++i) {
        const Word x = graph.sign_extend(a[i], sum_width);
        sum = graph.add(sum, graph.multiply(x, graph.sign_extend(b[i], sum_width)));
    }
    graph.output("sum", sum, true);
    return graph;
}

/// Square matrices of signed words, row by row.
inline WordGraph matrix_product(std::uint32_t size, std::uint32_t width, std::uint32_t sum_width) {
    WordGraph graph;
    std::vector<Word> factors[2];
    for (std::uint32_t i = 0; i < 2 * size * size; ++i) {
        const std::string name = (i < size * size ? "a" : "b") + std::to_string(i % (size * size));
        factors[i / (size * size)].push_back(graph.sign_extend(graph.input(name, width, true), sum_width));
    }
    for (std::uint32_t i = 0; i < size * size; ++i) {
        Word sum = graph.constant(0, sum_width);
        for (std::uint32_t k = 0; k < size; ++k) {
            const Word a = factors[0][i / size * size + k];
            sum = graph.add(sum, graph.multiply(a, factors[1][k * size + i % size]));
        }
        graph.output("c" + std::to_string(i), sum, true);
    }
    return graph;
}

inline WordGraph popcount(std::uint32_t width) {
    WordGraph graph;
    graph.output("count", graph.popcount(graph.input("a", width, false), 32), true);
    return graph;
}

/// Batcher's odd-even merge sort of unsigned words, `count` a power of two.
inline WordGraph sort(std::uint32_t count, std::uint32_t width) {
    WordGraph graph;
    std::vector<Word> words;
    for (std::uint32_t i = 0; i < count; ++i)
        words.push_back(graph.input("a" + std::to_string(i), width, false));
    for (std::uint32_t p = 1; p < count; p *= 2) {
        for (std::uint32_t k = p; k >= 1; k /= 2) {
            for (std::uint32_t j = k % p; j + k < count; j += 2 * k) {
                for (std::uint32_t i = 0; i < k && i + j + k < count; ++i) {
                    if ((i + j) / (2 * p) != (i + j + k) / (2 * p)) continue;
                    const Word x = words[i + j];
                    const Word y = words[i + j + k];
                    const Word swap = graph.unsigned_less(y, x);
                    words[i + j] = graph.select(swap, y, x);
                    words[i + j + k] = graph.select(swap, x, y);
                }
            }
        }
    }
    for (std::uint32_t i = 0; i < count; ++i) graph.output("s" + std::to_string(i), words[i], false);
    return graph;
}

/// Entry `index` of a table of encrypted words, as a front end selects it by the bits of the index.
inline WordGraph table_entry(std::uint32_t index_width, std::uint32_t width) {
    WordGraph graph;
    std::vector<Word> entries;
    for (std::uint32_t i = 0; i < 1U << index_width; ++i)
        entries.push_back(graph.input("t" + std::to_string(i), width, false));
    const Word index = graph.input("index", index_width, false);
    for (std::uint32_t bit = 0; bit < index_width; ++bit) {
        std::vector<Word> next;
        for (std::size_t i = 0; i < entries.size(); i += 2)
            next.push_back(graph.select(graph.extract(index, bit, 1), entries[i + 1], entries[i]));
        entries = std::move(next);
    }
    graph.output("entry", entries.front(), false);
    return graph;
}

}  // namespace toroid::compiler::programs
