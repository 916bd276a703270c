// SPDX-License-Identifier: Apache-2.0
/* What start-up, clock, faults and the serial line of a bare-metal port share. */
#ifndef TINYKIT_PORTS_BARE_BARE_H_
#define TINYKIT_PORTS_BARE_BARE_H_

/* Starts the counters behind tk_port_cycles(). */
void tk_clock_start(void);

/* Vectors. */
void Reset_Handler(void);
void tk_systick_handler(void);
void tk_uart_handler(void);
void tk_fault_handler(void);

#endif  // TINYKIT_PORTS_BARE_BARE_H_
