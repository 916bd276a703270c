// SPDX-License-Identifier: Apache-2.0
/*
 * Faults. The handler moves to a stack of its own, because an overflowing stack is a common cause,
 * and leaves the exception for tk_stop() in thread mode: inside a HardFault no interrupt can run,
 * so no clock would, and the line that says what happened could not be repeated for a late host.
 */
#include <stdbool.h>
#include <stdint.h>

#include "bare.h"
#include "registers.h"
#include "tinykit/run.h"
#include "tinykit/text.h"

enum { FAULT_STACK_BYTES = 1024 };

/* What the core pushes: r0-r3, r12, lr, pc, xpsr. */
enum { FRAME_LR = 5, FRAME_PC = 6, FRAME_XPSR = 7, FRAME_WORDS = 8 };

static const uint32_t kThumb = 1u << 24;

extern uint8_t _stack_lowest[], _stack_end[];

__attribute__((used)) _Alignas(8) static uint8_t fault_stack[FAULT_STACK_BYTES];
static uint32_t fault_pc;
static uint32_t fault_lr;

static void stop_in_thread_mode(void) {
  tk_fresh_line();
  tk_put("e-[tk-registers pc ");
  tk_put_hex(fault_pc, 8);
  tk_put(" lr ");
  tk_put_hex(fault_lr, 8);
  tk_put(" cfsr ");
  tk_put_hex(TK_SCB_CFSR, 8);
  tk_put(" hfsr ");
  tk_put_hex(TK_SCB_HFSR, 8);
  tk_put(" bfar ");
  tk_put_hex(TK_SCB_BFAR, 8);
  tk_put_line("]");
  tk_stop((tk_status_t){.code = TK_ERR_FAULT, .detail = (int32_t)fault_pc}, -1);
}

/* Returns the frame from which the core shall "return" into stop_in_thread_mode(). */
__attribute__((used)) static uint32_t *prepare_stop(const uint32_t *frame) {
  const uintptr_t at = (uintptr_t)frame;
  const bool readable = at >= (uintptr_t)_stack_lowest &&
                        at + FRAME_WORDS * sizeof(uint32_t) <= (uintptr_t)_stack_end;
  fault_pc = readable ? frame[FRAME_PC] : 0;
  fault_lr = readable ? frame[FRAME_LR] : 0;
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  TK_FPU_FPCCR &= ~1u; /* LSPACT: else the next FP instruction would write to the dead frame */
#endif
  uint32_t *resume = (uint32_t *)(uintptr_t)(fault_stack + FAULT_STACK_BYTES) - FRAME_WORDS;
  resume[FRAME_LR] = 0;
  resume[FRAME_PC] = (uint32_t)(uintptr_t)stop_in_thread_mode & ~1u;
  resume[FRAME_XPSR] = kThumb;
  return resume;
}

__attribute__((naked)) void tk_fault_handler(void) {
  __asm volatile(
      "mrs   r0, msp\n"
#if defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
      "ldr   r1, =fault_stack\n"
      "msr   msplim, r1\n"
#endif
      "ldr   r1, =fault_stack + 1024 - 64\n" /* below the frame that prepare_stop writes */
      "msr   msp, r1\n"
      "bl    prepare_stop\n"
      "msr   msp, r0\n"
      "mvn   r0, #6\n" /* EXC_RETURN 0xFFFFFFF9: thread mode, main stack, basic frame */
      "bx    r0\n"
      ".ltorg\n");
}
