// SPDX-License-Identifier: Apache-2.0
/*
 * Arm's MPS2 and MPS3 FPGA boards as QEMU models them: a CMSDK UART, and LED 0 of the FPGAIO block
 * as the timestamp pin. QEMU counts instructions, not cycles.
 * Source: Arm DDI 0479 (Cortex-M System Design Kit), APB UART; Arm AN385, AN386, AN500 and AN547.
 */
#include "tinykit/port.h"

#include <stdint.h>

#include "bare.h"
#include "machine.h"
#include "registers.h"

typedef struct uart {
  volatile uint32_t data;
  volatile uint32_t state;
  volatile uint32_t control;
  volatile uint32_t interrupt; /* write 1 to clear */
  volatile uint32_t baud_divisor;
} uart_t;

enum { UART_TX_FULL = 1, UART_RX_FULL = 2 };                       /* state */
enum { UART_TX_ON = 1, UART_RX_ON = 2, UART_RX_INTERRUPT_ON = 8 }; /* control */
enum { UART_RX_INTERRUPT = 2 };                                    /* interrupt */
enum { BAUD = 115200, TIMESTAMP_LOW_US = 2 };

static const uint32_t kTimestampLed = 1u;

extern uint8_t _stack_lowest[], _stack_end[];

static uart_t *uart(void) { return (uart_t *)(uintptr_t)TK_UART_BASE; }

static volatile uint32_t *leds(void) { return (volatile uint32_t *)(uintptr_t)TK_LEDS_BASE; }

void tk_port_init(void) {
  uart()->baud_divisor = TK_CORE_HZ / BAUD;
  uart()->control = UART_TX_ON | UART_RX_ON | UART_RX_INTERRUPT_ON;
  TK_NVIC_ISER(TK_UART_RX_IRQ / 32u) = 1u << (TK_UART_RX_IRQ % 32u);
  *leds() |= kTimestampLed;
  tk_clock_start();
}

/* The interrupt only ends a sleep; the byte waits in the UART until tk_port_getc() fetches it. */
void tk_uart_handler(void) { uart()->interrupt = UART_RX_INTERRUPT; }

int tk_port_getc(void) {
  return (uart()->state & UART_RX_FULL) != 0 ? (int)(uart()->data & 0xFFu) : TK_PORT_NONE;
}

void tk_port_write(const char *text, size_t size_bytes) {
  for (size_t i = 0; i < size_bytes; i++) {
    while ((uart()->state & UART_TX_FULL) != 0) {
    }
    uart()->data = (uint8_t)text[i];
  }
}

void tk_port_flush(void) {
  while ((uart()->state & UART_TX_FULL) != 0) {
  }
}

void tk_port_timestamp(void) {
  const uint64_t start_us = tk_port_micros();
  *leds() &= ~kTimestampLed;
  while (tk_port_micros() - start_us <= TIMESTAMP_LOW_US) {
  }
  *leds() |= kTimestampLed;
}

void tk_port_idle(void) {
  /* With interrupts masked a byte that comes after the check still wakes the core. */
  __asm volatile("cpsid i" ::: "memory");
  if ((uart()->state & UART_RX_FULL) == 0) {
    __asm volatile("dsb\n wfi" ::: "memory");
  }
  __asm volatile("cpsie i\n isb" ::: "memory");
}

bool tk_port_stack_bounds(uintptr_t *lowest, uintptr_t *end) {
  *lowest = (uintptr_t)_stack_lowest;
  *end = (uintptr_t)_stack_end;
  return true;
}

const char *tk_port_name(void) { return TK_PORT_NAME; }

TK_NORETURN void tk_port_halt(int code) {
  /* Semihosting SYS_EXIT_EXTENDED ends the emulator with `code`. Source: Arm IHI 0103, 6.8. */
  const uint32_t block[2] = {0x20026u, (uint32_t)code};
  register uint32_t operation __asm("r0") = 0x20u;
  register const uint32_t *argument __asm("r1") = block;
  __asm volatile("bkpt 0xAB" : "+r"(operation) : "r"(argument) : "memory");
  for (;;) {
    __asm volatile("wfi");
  }
}
