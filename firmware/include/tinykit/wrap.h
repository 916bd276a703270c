// SPDX-License-Identifier: Apache-2.0
/*
 * 64-bit time from 32-bit counters. A 600 MHz core wraps CYCCNT in 7 s, and one inference out of
 * external RAM can last longer than that.
 */
#ifndef TINYKIT_WRAP_H_
#define TINYKIT_WRAP_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The count after `last` whose low half is `low`: right if at most one wrap lies between them. */
static inline uint64_t tk_wrap_extend(uint64_t last, uint32_t low) {
  return last + (uint32_t)(low - (uint32_t)last);
}

typedef struct tk_wrap {
  uint64_t counts;
  uint64_t micros;
} tk_wrap_t;

/*
 * The count at `now_us` whose low half is `low`, however many wraps have passed since the last
 * call: a coarse clock tells which. Right as long as the two clocks drift apart by less than 2^31
 * counts between calls (at 240 MHz, 1 % apart: 15 min).
 */
static inline uint64_t tk_wrap_extend_by_time(tk_wrap_t *wrap, uint32_t low, uint64_t now_us,
                                              uint32_t hz) {
  const uint64_t expected = wrap->counts + (now_us - wrap->micros) * hz / 1000000u;
  const int32_t error = (int32_t)(low - (uint32_t)expected);
  const uint64_t counts = expected + (uint64_t)(int64_t)error;
  wrap->counts = counts > wrap->counts ? counts : wrap->counts;
  wrap->micros = now_us;
  return wrap->counts;
}

#ifdef __cplusplus
}
#endif

#endif  // TINYKIT_WRAP_H_
