// SPDX-License-Identifier: Apache-2.0
// AES-128 (FIPS 197) with the key schedule. The S-box is computed in GF((2^4)^2): multiplications of nibbles instead of
// look-ups of 256 bytes.
#include <stdint.h>

// GF(16) with x^4 + x + 1.
static uint8_t multiply16(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (int i = 0; i < 4; i++) {
        if (b >> i & 1) product ^= (uint8_t)(a << i);
    }
    for (int i = 6; i >= 4; i--) {
        if (product >> i & 1) product ^= (uint8_t)(0x13 << (i - 4));
    }
    return product;
}

static uint8_t multiply(uint8_t a, uint8_t b) {
    uint8_t product = 0;
    for (int i = 0; i < 8; i++) {
        product ^= (uint8_t)(a & (0 - (b >> i & 1)));
        a = (uint8_t)(a << 1 ^ (0x1b & (0 - (a >> 7))));
    }
    return product;
}

// Images of the bits of GF(2^8) in GF((2^4)^2) with y^2 + y + 8, found by searching for a root, in clear.
static uint8_t in_tower_product(uint8_t a, uint8_t b) {
    uint8_t high = (uint8_t)(multiply16(a >> 4, b >> 4) ^ multiply16(a >> 4, b & 15) ^ multiply16(a & 15, b >> 4));
    uint8_t low = (uint8_t)(multiply16(a & 15, b & 15) ^ multiply16(multiply16(a >> 4, b >> 4), 8));
    return (uint8_t)(high << 4 | low);
}

static uint8_t powers[8];    // of the root, in the tower
static uint8_t inverses[8];  // what each bit of the tower is in GF(2^8)

static void prepare(void) {
    for (int root = 2; root < 256; root++) {
        uint8_t power = 1;
        for (int i = 0; i < 8; i++) {
            powers[i] = power;
            power = in_tower_product(power, (uint8_t)root);
        }
        // x^8 = x^4 + x^3 + x + 1
        if (power == (powers[4] ^ powers[3] ^ powers[1] ^ powers[0])) break;
    }
    for (int value = 0; value < 256; value++) {
        uint8_t image = 0;
        for (int i = 0; i < 8; i++) {
            if (value >> i & 1) image ^= powers[i];
        }
        for (int i = 0; i < 8; i++) {
            if (image == 1 << i) inverses[i] = (uint8_t)value;
        }
    }
}

static uint8_t mapped(uint8_t x, const uint8_t images[8]) {
    uint8_t result = 0;
    for (int i = 0; i < 8; i++) result ^= (uint8_t)(images[i] & (0 - (x >> i & 1)));
    return result;
}

static uint8_t inverse16(uint8_t x) {
    static const uint8_t table[16] = {0, 1, 9, 14, 13, 11, 7, 6, 15, 2, 12, 5, 10, 4, 3, 8};
    return table[x & 15];
}

static uint8_t s_box(uint8_t x) {
    uint8_t t = mapped(x, powers);
    uint8_t high = t >> 4;
    uint8_t low = t & 15;
    uint8_t norm = (uint8_t)(multiply16(multiply16(high, high), 8) ^ multiply16(high, low) ^ multiply16(low, low));
    uint8_t inverse = inverse16(norm);
    uint8_t tower = (uint8_t)(multiply16(high, inverse) << 4 | multiply16(high ^ low, inverse));
    uint8_t y = mapped(tower, inverses);
    return (uint8_t)(y ^ (y << 1 | y >> 7) ^ (y << 2 | y >> 6) ^ (y << 3 | y >> 5) ^ (y << 4 | y >> 4) ^ 0x63);
}

void aes128(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]) {
    prepare();
    uint8_t round_key[16];
    uint8_t state[16];
    uint8_t constant = 1;
    for (int i = 0; i < 16; i++) {
        round_key[i] = key[i];
        state[i] = plain[i] ^ key[i];
    }
    for (int round = 1; round <= 10; round++) {
        uint8_t moved[16];
        for (int column = 0; column < 4; column++) {
            for (int row = 0; row < 4; row++) moved[4 * column + row] = s_box(state[4 * ((column + row) % 4) + row]);
        }
        for (int row = 0; row < 4; row++) round_key[row] ^= s_box(round_key[12 + (row + 1) % 4]);
        round_key[0] ^= constant;
        constant = multiply(constant, 2);
        for (int i = 4; i < 16; i++) round_key[i] ^= round_key[i - 4];
        for (int column = 0; column < 4; column++) {
            uint8_t* c = moved + 4 * column;
            for (int row = 0; row < 4; row++) {
                uint8_t value = c[row];
                if (round < 10) {
                    value = (uint8_t)(multiply(c[row], 2) ^ multiply(c[(row + 1) % 4], 3) ^ c[(row + 2) % 4] ^
                                      c[(row + 3) % 4]);
                }
                state[4 * column + row] = value ^ round_key[4 * column + row];
            }
        }
    }
    for (int i = 0; i < 16; i++) cipher[i] = state[i];
}
