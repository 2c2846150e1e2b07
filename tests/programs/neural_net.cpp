// SPDX-License-Identifier: Apache-2.0
// Two layers with constant weights: four inputs, three hidden units with ReLU, the larger of two outputs.
#include <cstdint>

namespace {

template <int inputs, int outputs>
struct Layer {
    std::int8_t weights[outputs][inputs];
    std::int16_t bias[outputs];

    constexpr void apply(const std::int16_t (&in)[inputs], std::int16_t (&out)[outputs]) const {
        for (int o = 0; o < outputs; ++o) {
            std::int32_t sum = bias[o];
            for (int i = 0; i < inputs; ++i) sum += weights[o][i] * in[i];
            out[o] = static_cast<std::int16_t>(sum >> 4);
        }
    }
};

constexpr Layer<4, 3> first{{{3, -7, 12, 5}, {-11, 2, 8, -4}, {6, 6, -9, 13}}, {10, -20, 5}};
constexpr Layer<3, 2> second{{{9, -3, 4}, {-5, 14, 2}}, {7, -7}};

}  // namespace

bool predict(const std::int8_t pixels[4], std::int16_t& margin) {
    std::int16_t in[4];
    for (int i = 0; i < 4; ++i) in[i] = pixels[i];
    std::int16_t hidden[3];
    first.apply(in, hidden);
    for (std::int16_t& unit : hidden) unit = unit < 0 ? 0 : unit;
    std::int16_t out[2];
    second.apply(hidden, out);
    margin = static_cast<std::int16_t>(out[1] - out[0]);
    return out[1] > out[0];
}
