// SPDX-License-Identifier: Apache-2.0
/*
 * mps3-an547 (M55). The core boots Secure, so the peripherals are reached by their Secure aliases.
 * Source: QEMU 7.2, hw/arm/mps2-tz.c and hw/arm/armsse.c.
 */
#ifndef TINYKIT_PORTS_MACHINE_H_
#define TINYKIT_PORTS_MACHINE_H_

#define TK_PORT_NAME "qemu-mps3"
#define TK_CORE_HZ 32000000u
#define TK_UART_BASE 0x59303000u
#define TK_UART_RX_IRQ 33
#define TK_LEDS_BASE 0x59302000u

#endif  // TINYKIT_PORTS_MACHINE_H_
