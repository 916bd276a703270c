// SPDX-License-Identifier: Apache-2.0
/* Real values as text with three decimals, exact, without floating-point arithmetic. */
#ifndef TINYKIT_SRC_DECIMAL_H_
#define TINYKIT_SRC_DECIMAL_H_

#include <stdint.h>

/*
 * Prints factor * scale, rounded to the nearest thousandth, ties to even.
 *
 * |factor| <= 2^17, which holds every int8, uint8 and int16 less its zero point. Values of 2^53 and
 * more print as "huge", infinities as "inf", a NaN as "nan".
 */
void tk_put_decimal(int32_t factor, float scale);

/* The 32 bits of a float. */
uint32_t tk_float_bits(float value);

#endif  // TINYKIT_SRC_DECIMAL_H_
