// SPDX-License-Identifier: Apache-2.0
#include "tinykit/run.h"
#include "tinykit/text.h"

enum { REPEAT_US = 1000000, QUIET_US = 20000, DROP_BYTES = 4096 };

static void put_fault(tk_status_t status, int model) {
  tk_put("e-[tk-fault ");
  tk_put_unsigned((uint64_t)status.code);
  tk_put(" model ");
  tk_put_signed(model);
  tk_put(" detail ");
  tk_put_signed(status.detail);
  tk_put(": ");
  tk_put(tk_status_text(status.code));
  tk_put_line("]");
  tk_port_flush();
}

/* The next byte, TK_PORT_CLOSED, or TK_PORT_NONE after `wait_us` of silence. */
static int wait_for_byte(uint64_t wait_us) {
  const uint64_t start_us = tk_port_micros();
  int c = tk_port_getc();
  while (c == TK_PORT_NONE && tk_port_micros() - start_us < wait_us) {
    tk_port_idle();
    c = tk_port_getc();
  }
  return c;
}

/*
 * Drops what was sent before the fault was said, or what follows the byte that answered it: a link
 * that closes on unread bytes may throw away the last line as well. Bounded, because a host that
 * never stops sending must not hide the line.
 */
static void drop_input(void) {
  for (int i = 0; i < DROP_BYTES && wait_for_byte(QUIET_US) >= 0; i++) {
  }
}

TK_NORETURN void tk_stop(tk_status_t status, int model) {
  tk_fresh_line();
  drop_input();
  do {
    put_fault(status, model);
  } while (wait_for_byte(REPEAT_US) == TK_PORT_NONE);
  drop_input();
  put_fault(status, model);
  tk_port_halt((int)status.code);
}
