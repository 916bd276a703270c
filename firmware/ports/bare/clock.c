// SPDX-License-Identifier: Apache-2.0
/*
 * Cycles from DWT CYCCNT where it counts, else from SysTick. SysTick runs in both cases: its
 * interrupt, every 2^24 cycles, is what sees each wrap of either counter, also in the middle of an
 * inference that lasts longer than a wrap.
 */
#include <stdbool.h>

#include "bare.h"
#include "dwt.h"
#include "machine.h"
#include "registers.h"
#include "tinykit/port.h"
#include "tinykit/wrap.h"

enum { SYSTICK_BITS = 24 };

static const uint32_t kSystickPending = 1u << 26; /* ICSR.PENDSTSET */
static const uint32_t kSystickForget = 1u << 25;  /* ICSR.PENDSTCLR */
static const uint32_t kSystickRun = 7u;           /* core clock, interrupt, enable */

static bool dwt_counts;
static uint64_t dwt_last;
static uint64_t systick_wraps;
static uint64_t systick_base; /* what was counted before the last restart */

/* Interrupts off; returns what interrupts_restore() needs. */
static uint32_t interrupts_mask(void) {
  uint32_t primask;
  __asm volatile("mrs %0, primask\n cpsid i" : "=r"(primask)::"memory");
  return primask;
}

static void interrupts_restore(uint32_t primask) {
  __asm volatile("msr primask, %0" ::"r"(primask) : "memory");
}

static uint64_t read_dwt(void) {
  dwt_last = tk_wrap_extend(dwt_last, tk_dwt_cycles());
  return dwt_last;
}

/* The counter, down from 2^24 - 1; skips 0, at which the wrap may or may not have been counted. */
static uint32_t read_systick_down(void) {
  uint32_t down;
  do {
    down = TK_SYST_CVR;
  } while (down == 0);
  return down;
}

static uint64_t read_systick(void) {
  uint32_t down = read_systick_down();
  uint64_t wraps = systick_wraps;
  if ((TK_SCB_ICSR & kSystickPending) != 0) { /* wrapped while interrupts were off */
    down = read_systick_down();
    wraps++;
  }
  return systick_base + (wraps << SYSTICK_BITS) + ((1u << SYSTICK_BITS) - down);
}

void tk_clock_start(void) {
  TK_SYST_RVR = (1u << SYSTICK_BITS) - 1u;
  TK_SYST_CVR = 0;
  TK_SYST_CSR = kSystickRun;
  dwt_counts = tk_dwt_start();
}

void tk_systick_handler(void) {
  systick_wraps++;
  if (dwt_counts) {
    (void)tk_port_cycles();
  }
}

uint64_t tk_port_cycles(void) {
  const uint32_t primask = interrupts_mask();
  const uint64_t cycles = dwt_counts ? read_dwt() : read_systick();
  interrupts_restore(primask);
  return cycles;
}

/* Also puts the wrap interrupts, 15 instructions each, at the same places of the work. */
void tk_port_align(void) {
  if (dwt_counts) {
    return;
  }
  const uint32_t primask = interrupts_mask();
  systick_base = read_systick();
  systick_wraps = 0;
  TK_SYST_CVR = 0;
  TK_SCB_ICSR = kSystickForget; /* a wrap since the reading above */
  interrupts_restore(primask);
}

uint64_t tk_port_cycles_hz(void) { return TK_CORE_HZ; }

const char *tk_port_counter_name(void) { return dwt_counts ? "dwt" : "systick"; }

uint64_t tk_port_micros(void) {
  const uint64_t cycles = tk_port_cycles();
  /* Seconds apart: cycles * 10^6 overflows after days. */
  return cycles / TK_CORE_HZ * 1000000u + cycles % TK_CORE_HZ * 1000000u / TK_CORE_HZ;
}
