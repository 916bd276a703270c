// SPDX-License-Identifier: Apache-2.0
#include "decimal.h"

#include <stdbool.h>
#include <string.h>

#include "tinykit/text.h"

/* IEEE 754 binary32: a finite value is mantissa * 2^(exponent - 150). */
enum { EXPONENT_BIAS = 150, EXPONENT_SPECIAL = 255 };

uint32_t tk_float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* value / 2^shift to the nearest integer, ties to even. value < 2^52. */
static uint64_t shift_right_rounded(uint64_t value, unsigned shift) {
  if (shift > 53) {
    return 0; /* below a half, whatever the value */
  }
  const uint64_t half = (uint64_t)1 << shift >> 1;
  const uint64_t rest = value & (((uint64_t)1 << shift) - 1);
  const uint64_t floor = value >> shift;
  const bool up = shift > 0 && (rest > half || (rest == half && (floor & 1u) != 0));
  return floor + (up ? 1u : 0u);
}

static void put_thousandths(bool negative, uint64_t thousandths) {
  if (negative && thousandths != 0) {
    tk_put_char('-');
  }
  tk_put_unsigned(thousandths / 1000u);
  tk_put_char('.');
  for (unsigned unit = 100; unit > 0; unit /= 10) {
    tk_put_char((char)('0' + (char)(thousandths / unit % 10u)));
  }
}

void tk_put_decimal(int32_t factor, float scale) {
  const uint32_t bits = tk_float_bits(scale);
  const uint32_t exponent_field = bits >> 23 & 255u;
  const uint32_t fraction = bits & 0x7fffffu;
  const bool negative = (factor < 0) != (bits >> 31 != 0);
  const uint64_t magnitude = factor < 0 ? (uint64_t)(-(int64_t)factor) : (uint64_t)factor;

  if (exponent_field == EXPONENT_SPECIAL) {
    tk_put(fraction != 0 ? "nan" : negative ? "-inf" : "inf");
    return;
  }
  /* Subnormals have no hidden bit and the exponent of the smallest normal number. */
  const uint64_t mantissa = exponent_field == 0 ? fraction : fraction | 0x800000u;
  const int exponent = (exponent_field == 0 ? 1 : (int)exponent_field) - EXPONENT_BIAS;

  /* 24 + 18 + 10 bits: mantissa * magnitude * 1000 < 2^52. */
  const uint64_t product = mantissa * magnitude * 1000u;
  if (exponent <= 0) {
    put_thousandths(negative, shift_right_rounded(product, (unsigned)-exponent));
  } else if (exponent <= 11 || product == 0) {
    put_thousandths(negative, product == 0 ? 0 : product << exponent);
  } else {
    tk_put(negative ? "-huge" : "huge");
  }
}
