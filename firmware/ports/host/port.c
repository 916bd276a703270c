// SPDX-License-Identifier: Apache-2.0
/* A process on a POSIX machine. Serial is stdin and stdout, or the file descriptor that main set.
 */
#include "port.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tinykit/port.h"

enum { IDLE_MS = 50, PENDING_BYTES = 4096 };

static int in_fd = STDIN_FILENO;
static int out_fd = STDOUT_FILENO;
static uint64_t epoch_ns;
static char pending[PENDING_BYTES];
static size_t pending_used;

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void tk_host_use_fd(int fd) { in_fd = out_fd = fd; }

void tk_port_init(void) { epoch_ns = now_ns(); }

/* False where the host has gone. */
static bool send_pending(void) {
  size_t sent = 0;
  while (sent < pending_used) {
    const ssize_t wrote = write(out_fd, pending + sent, pending_used - sent);
    if (wrote < 0 && errno != EINTR) {
      return false;
    }
    sent += wrote > 0 ? (size_t)wrote : 0;
  }
  pending_used = 0;
  return true;
}

int tk_port_getc(void) {
  static unsigned char bytes[PENDING_BYTES];
  static size_t used;
  static size_t size;
  if (used == size) {
    struct pollfd waiting = {.fd = in_fd, .events = POLLIN};
    if (poll(&waiting, 1, 0) <= 0) {
      return TK_PORT_NONE;
    }
    const ssize_t got = read(in_fd, bytes, sizeof bytes);
    if (got <= 0) {
      return got < 0 && errno == EINTR ? TK_PORT_NONE : TK_PORT_CLOSED;
    }
    used = 0;
    size = (size_t)got;
  }
  return bytes[used++];
}

void tk_port_write(const char *text, size_t size_bytes) {
  if (size_bytes > sizeof pending - pending_used && !send_pending()) {
    exit(EXIT_FAILURE);
  }
  memcpy(pending + pending_used, text, size_bytes); /* the protocol sends 64 bytes at a time */
  pending_used += size_bytes;
}

void tk_port_flush(void) {
  if (!send_pending()) {
    exit(EXIT_FAILURE);
  }
}

uint64_t tk_port_cycles(void) { return now_ns() - epoch_ns; }

void tk_port_align(void) {}

uint64_t tk_port_cycles_hz(void) { return 1000000000u; }

const char *tk_port_counter_name(void) { return "clock_gettime"; }

uint64_t tk_port_micros(void) { return (now_ns() - epoch_ns) / 1000u; }

void tk_port_timestamp(void) {}

void tk_port_idle(void) {
  struct pollfd waiting = {.fd = in_fd, .events = POLLIN};
  poll(&waiting, 1, IDLE_MS);
}

bool tk_port_stack_bounds(uintptr_t *lowest, uintptr_t *end) {
  (void)lowest;
  (void)end;
  return false; /* the kernel grows it on demand */
}

const char *tk_port_name(void) { return "host"; }

TK_NORETURN void tk_port_halt(int code) {
  send_pending();
  exit(code);
}
