// SPDX-License-Identifier: Apache-2.0
// AES-128 (FIPS 197) with the key schedule as logic: plane i holds bit i of all bytes, so that an operation
// on a plane is one gate for each byte. The S-box inverts in GF(((2^2)^2)^2) with normal bases (D. Canright,
// "A very compact S-box for AES", CHES 2005): 36 ANDs. What the two fields' bits are in each other is
// computed in clear.
#include <stdint.h>

// Bits 0 to 15: the state, byte 4 * column + row; bits 16 to 19: bytes of the key schedule.
typedef uint32_t plane;

// GF(4) with the basis w, w^2, where w^2 + w + 1 = 0.
static void multiply4(const plane a[2], const plane b[2], plane out[2]) {
    plane both = (a[0] ^ a[1]) & (b[0] ^ b[1]);
    plane low = both ^ (a[0] & b[0]);
    plane high = both ^ (a[1] & b[1]);
    out[0] = low;
    out[1] = high;
}

// GF(16) with the basis z, z^4, where z^2 + z + w = 0.
static void multiply16(const plane a[4], const plane b[4], plane out[4]) {
    plane x[2] = {a[0] ^ a[2], a[1] ^ a[3]};
    plane y[2] = {b[0] ^ b[2], b[1] ^ b[3]};
    plane both[2], low[2], high[2];
    multiply4(x, y, both);
    multiply4(a, b, low);
    multiply4(a + 2, b + 2, high);
    plane scaled[2] = {both[1], both[0] ^ both[1]};  // times w
    for (int i = 0; i < 2; i++) {
        out[i] = low[i] ^ scaled[i];
        out[2 + i] = high[i] ^ scaled[i];
    }
}

// The conjugate by the inverse of the norm a0 a1 + w (a0 + a1)^2; an inverse in GF(4) is a square.
static void invert16(const plane a[4], plane out[4]) {
    plane norm[2];
    multiply4(a, a + 2, norm);
    plane square[2] = {a[1] ^ a[3], a[0] ^ a[2]};
    norm[0] ^= square[1];
    norm[1] ^= square[0] ^ square[1];
    plane inverse[2] = {norm[1], norm[0]};
    multiply4(a + 2, inverse, out);
    multiply4(a, inverse, out + 2);
}

// GF(256) with the basis y, y^16, where y^2 + y + w^2 z^4 = 0.
static const plane constant16[4] = {0, 0, 0, 1};

static void multiply256(const plane a[8], const plane b[8], plane out[8]) {
    plane x[4], y[4], both[4], low[4], high[4], scaled[4];
    for (int i = 0; i < 4; i++) {
        x[i] = a[i] ^ a[4 + i];
        y[i] = b[i] ^ b[4 + i];
    }
    multiply16(x, y, both);
    multiply16(a, b, low);
    multiply16(a + 4, b + 4, high);
    multiply16(both, constant16, scaled);
    for (int i = 0; i < 4; i++) {
        out[i] = low[i] ^ scaled[i];
        out[4 + i] = high[i] ^ scaled[i];
    }
}

static void invert256(const plane a[8], plane out[8]) {
    plane norm[4], sum[4], square[4], inverse[4];
    multiply16(a, a + 4, norm);
    for (int i = 0; i < 4; i++) sum[i] = a[i] ^ a[4 + i];
    // z^2 = z + w, and z + z^4 = 1: squares of the halves change places, and w times their sum is added.
    plane low[2] = {sum[1], sum[0]};
    plane high[2] = {sum[3], sum[2]};
    plane both[2] = {low[0] ^ high[0], low[1] ^ high[1]};
    plane scaled[2] = {both[1], both[0] ^ both[1]};
    for (int i = 0; i < 2; i++) {
        square[i] = low[i] ^ scaled[i];
        square[2 + i] = high[i] ^ scaled[i];
    }
    plane constant[4];
    for (int i = 0; i < 4; i++) constant[i] = 0 - constant16[i];
    multiply16(square, constant, square);
    for (int i = 0; i < 4; i++) norm[i] ^= square[i];
    invert16(norm, inverse);
    multiply16(a + 4, inverse, out);
    multiply16(a, inverse, out + 4);
}

// A root of x^8 + x^4 + x^3 + x + 1 in the tower: of all roots and towers the pair with the fewest gates.
static const uint8_t root = 149;
static uint8_t powers[8];    // of the root
static uint8_t inverses[8];  // what each bit of the tower is in AES's own GF(256)

static uint8_t tower_product(uint8_t a, uint8_t b) {
    plane x[8], y[8], out[8];
    for (int i = 0; i < 8; i++) {
        x[i] = a >> i & 1;
        y[i] = b >> i & 1;
    }
    multiply256(x, y, out);
    uint8_t product = 0;
    for (int i = 0; i < 8; i++) product |= (uint8_t)(out[i] << i);
    return product;
}

static void prepare(void) {
    uint8_t power = 255;  // the tower's 1: all bases add up to it
    for (int i = 0; i < 8; i++) {
        powers[i] = power;
        power = tower_product(power, root);
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

static void apply(const uint8_t images[8], const plane in[8], plane out[8]) {
    for (int i = 0; i < 8; i++) {
        out[i] = 0;
        for (int j = 0; j < 8; j++) {
            if (images[j] >> i & 1) out[i] ^= in[j];
        }
    }
}

static void s_boxes(plane bits[8]) {
    plane tower[8], inverse[8], y[8];
    apply(powers, bits, tower);
    invert256(tower, inverse);
    apply(inverses, inverse, y);
    for (int i = 0; i < 8; i++) {
        bits[i] = y[i] ^ y[(i + 4) % 8] ^ y[(i + 5) % 8] ^ y[(i + 6) % 8] ^ y[(i + 7) % 8];
        if (0x63 >> i & 1) bits[i] = ~bits[i];
    }
}

static plane shifted_rows(plane bits) {
    plane out = 0;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++)
            out |= (bits >> (4 * ((column + row) % 4) + row) & 1) << (4 * column + row);
    }
    return out;
}

// Of each column, the row `by` below.
static plane below(plane bits, int by) {
    plane low = 0x1111u * ((1u << (4 - by)) - 1);
    return (bits >> by & low) | (bits << (4 - by) & (0xffffu ^ low));
}

static void mix_columns(plane bits[8]) {
    plane twice[8], rest[8];
    for (int i = 0; i < 8; i++) {
        twice[i] = bits[i] ^ below(bits[i], 1);
        rest[i] = below(bits[i], 1) ^ below(bits[i], 2) ^ below(bits[i], 3);
    }
    for (int i = 0; i < 8; i++) {
        plane carried = (0x1b >> i & 1) ? twice[7] : 0;
        bits[i] = rest[i] ^ carried ^ (i > 0 ? twice[i - 1] : 0);
    }
}

void aes128(const uint8_t key[16], const uint8_t plain[16], uint8_t cipher[16]) {
    prepare();
    plane round_key[8], state[8];
    for (int i = 0; i < 8; i++) {
        round_key[i] = 0;
        state[i] = 0;
        for (int byte = 0; byte < 16; byte++) {
            round_key[i] |= (plane)(key[byte] >> i & 1) << byte;
            state[i] |= (plane)((key[byte] ^ plain[byte]) >> i & 1) << byte;
        }
    }
    uint8_t constant = 1;
    for (int round = 1; round <= 10; round++) {
        // The last column of the key, turned by a row, goes through the S-box beside the state.
        for (int i = 0; i < 8; i++) {
            plane last = round_key[i] >> 12 & 15;
            state[i] = shifted_rows(state[i]) | (last >> 1 | (last & 1) << 3) << 16;
        }
        s_boxes(state);
        for (int i = 0; i < 8; i++) {
            plane column = (state[i] >> 16 & 15) ^ (constant >> i & 1);
            plane columns = 0;
            for (int c = 0; c < 4; c++) {
                column ^= round_key[i] >> 4 * c & 15;
                columns |= column << 4 * c;
            }
            round_key[i] = columns;
            state[i] &= 0xffff;
        }
        constant = (uint8_t)(constant << 1 ^ (0x1b & (0 - (constant >> 7))));
        if (round < 10) mix_columns(state);
        for (int i = 0; i < 8; i++) state[i] ^= round_key[i];
    }
    for (int byte = 0; byte < 16; byte++) {
        cipher[byte] = 0;
        for (int i = 0; i < 8; i++) cipher[byte] |= (uint8_t)((state[i] >> byte & 1) << i);
    }
}
