// SPDX-License-Identifier: Apache-2.0
#include "dwt.h"

#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__) || \
    defined(__ARM_ARCH_8_1M_MAIN__)

#include "registers.h"

static const uint32_t kTraceEnable = 1u << 24; /* DEMCR.TRCENA */
static const uint32_t kNoCycleCounter = 1u << 25;
static const uint32_t kCountCycles = 1u << 0;
static const uint32_t kUnlock = 0xC5ACCE55u;

bool tk_dwt_start(void) {
  /* Without TRCENA the whole block is off, and a debugger usually leaves it on: firmware that
   * forgets it counts on the bench and stands still in the field. */
  TK_DEMCR |= kTraceEnable;
  /* Cortex-M7 locks the block against software until this key is written; others ignore it. */
  TK_DWT_LAR = kUnlock;
  if ((TK_DWT_CTRL & kNoCycleCounter) != 0) {
    return false;
  }
  TK_DWT_CYCCNT = 0;
  TK_DWT_CTRL |= kCountCycles;
  const uint32_t start = TK_DWT_CYCCNT;
  for (int i = 0; i < 100; i++) {
    if (TK_DWT_CYCCNT != start) {
      return true;
    }
  }
  return false;
}

uint32_t tk_dwt_cycles(void) { return TK_DWT_CYCCNT; }

#else /* Armv6-M and Armv8-M Baseline have no cycle counter, and touching one may fault */

bool tk_dwt_start(void) { return false; }

uint32_t tk_dwt_cycles(void) { return 0; }

#endif
