// SPDX-License-Identifier: Apache-2.0
/* From reset to main, and the vector table. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bare.h"
#include "machine.h"
#include "registers.h"
#include "tinykit/run.h"

extern uint8_t _stack_lowest[], _stack_end[];
extern uint8_t _data_load[], _data_start[], _data_end[];
extern uint8_t _bss_start[], _bss_end[];

void __libc_init_array(void);
void _init(void);
void _fini(void);
int main(void);

/* newlib calls these beside the constructors in .init_array; nothing here needs them. */
void _init(void) {}
void _fini(void) {}

/*
 * C++ registers the destructors of global objects here. Firmware does not exit, so they are
 * forgotten, and newlib's version, which wants a heap, stays out of the image.
 */
extern void *__dso_handle;
void *__dso_handle;
int __aeabi_atexit(void *object, void (*destroy)(void *), void *dso);

int __aeabi_atexit(void *object, void (*destroy)(void *), void *dso) {
  (void)object;
  (void)destroy;
  (void)dso;
  return 0;
}

void Reset_Handler(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  /* Full access to CP10 and CP11, before the first instruction that needs them. */
  TK_SCB_CPACR |= 0xFu << 20;
  __asm volatile("dsb\n isb" ::: "memory");
#endif
#if defined(__ARM_ARCH_8M_MAIN__) || defined(__ARM_ARCH_8_1M_MAIN__)
  __asm volatile("msr msplim, %0" ::"r"(_stack_lowest));
#endif
  memcpy(_data_start, _data_load, (size_t)(_data_end - _data_start));
  memset(_bss_start, 0, (size_t)(_bss_end - _bss_start));
  __libc_init_array();
  main();
  tk_port_halt(0);
}

int main(void) {
  tk_run();
  return 0;
}

typedef void (*vector_t)(void);

/* The UART is the only interrupt that is ever enabled; a stray one finds 0, which faults. */
__attribute__((section(".vectors"), used)) static const vector_t vectors[16 + 48] = {
    (vector_t)(uintptr_t)_stack_end,         Reset_Handler,
    [2 ... 14] = tk_fault_handler,           [15] = tk_systick_handler,
    [16 + TK_UART_RX_IRQ] = tk_uart_handler,
};
