// SPDX-License-Identifier: Apache-2.0
/*
 * Stands in for the registers of a core: a cycle counter that only moves when everything that real
 * silicon asks for was done. FAKE_LOCKED is a Cortex-M7, FAKE_ABSENT a core without the counter.
 */
#ifndef FAKE_REGISTERS_H_
#define FAKE_REGISTERS_H_

#include <stdint.h>

extern uint32_t fake_demcr, fake_ctrl, fake_lar, fake_cyccnt;

static inline uint32_t *fake_count(void) {
  const int traced = (fake_demcr >> 24 & 1u) != 0;
  const int unlocked = !FAKE_LOCKED || fake_lar == 0xC5ACCE55u;
  if (traced && unlocked && (fake_ctrl & 1u) != 0 && !FAKE_ABSENT && !FAKE_STUCK) {
    fake_cyccnt += 3;
  }
  return &fake_cyccnt;
}

#define TK_DEMCR fake_demcr
#define TK_DWT_LAR fake_lar
#define TK_DWT_CTRL fake_ctrl
#define TK_DWT_CYCCNT (*fake_count())

#endif  // FAKE_REGISTERS_H_
