// SPDX-License-Identifier: Apache-2.0
/* mps2-an385 (M3), mps2-an386 (M4), mps2-an500 (M7). Source: QEMU 7.2, hw/arm/mps2.c. */
#ifndef TINYKIT_PORTS_MACHINE_H_
#define TINYKIT_PORTS_MACHINE_H_

#define TK_PORT_NAME "qemu-mps2"
#define TK_CORE_HZ 25000000u
#define TK_UART_BASE 0x40004000u
#define TK_UART_RX_IRQ 0
#define TK_LEDS_BASE 0x40028000u

#endif  // TINYKIT_PORTS_MACHINE_H_
