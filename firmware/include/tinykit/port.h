// SPDX-License-Identifier: Apache-2.0
/*
 * What the portable code asks of a board. A port is one folder under ports/ that implements every
 * function below; nothing else in tinykit touches hardware.
 *
 * All functions are called from one thread. None may allocate, none may call back.
 */
#ifndef TINYKIT_PORT_H_
#define TINYKIT_PORT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TK_NORETURN [[noreturn]]
extern "C" {
#else
#define TK_NORETURN _Noreturn
#endif

/* Replies of tk_port_getc() that are not a byte. */
#define TK_PORT_NONE (-1)   /* nothing has arrived */
#define TK_PORT_CLOSED (-2) /* the host has gone for good; only the host port ever says so */

/* Called once, before anything else of the port: clocks, serial, counter, timestamp pin high. */
void tk_port_init(void);

/* The next byte from the host, 0 to 255, or TK_PORT_NONE or TK_PORT_CLOSED. Never waits. */
int tk_port_getc(void);

/* Sends `size_bytes` bytes; may wait for room. */
void tk_port_write(const char *text, size_t size_bytes);

/* Returns when the last byte has left for the host, as far as the hardware lets one know. */
void tk_port_flush(void);

/*
 * A counter that only goes up and does not wrap in the life of the board. The finest one the board
 * has: core cycles where it can count them, else a timer; tk_port_counter_name() says which.
 * Right even when one inference outlasts a wrap of the hardware counter below it.
 */
uint64_t tk_port_cycles(void);

/*
 * Called right before the first reading of a window. A port whose counter ticks out of step with
 * the core's instructions restarts it here, so that the same work always gives the same count.
 */
void tk_port_align(void);

/* Counts of tk_port_cycles() in a second, as configured; tk-info also reports it as measured. */
uint64_t tk_port_cycles_hz(void);

/* "dwt", "systick", "ccount", "timer", "clock_gettime". */
const char *tk_port_counter_name(void);

/* Microseconds since tk_port_init(), 64 bits, from a source that the MLPerf rules accept (>= 1
 * kHz). */
uint64_t tk_port_micros(void);

/*
 * One falling edge on the timestamp pin, low for at least 1 us, then high again. An energy monitor
 * cuts its trace at these edges. Does nothing on a board without the pin.
 */
void tk_port_timestamp(void);

/* Called while waiting for the host, never between two timestamps: sleep, yield or feed a watchdog.
 */
void tk_port_idle(void);

/*
 * The memory of the running stack: [*lowest, *end), which grows down from *end.
 * False where the port cannot know; the stack is then neither painted nor reported.
 */
bool tk_port_stack_bounds(uintptr_t *lowest, uintptr_t *end);

/* The folder under ports/, for example "qemu-mps2". */
const char *tk_port_name(void);

/* Stops for good: an emulator or a process ends with `code`, a board sleeps until its next reset.
 */
TK_NORETURN void tk_port_halt(int code);

#ifdef __cplusplus
}
#endif

#endif  // TINYKIT_PORT_H_
