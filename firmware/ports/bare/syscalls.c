// SPDX-License-Identifier: Apache-2.0
/* What newlib asks of a system, so that printf in a user's code reaches the serial line. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "tinykit/port.h"

extern uint8_t end[], _heap_end[];

int _write(int file, const char *bytes, int size_bytes);
int _read(int file, char *bytes, int size_bytes);
int _close(int file);
int _fstat(int file, struct stat *status);
int _isatty(int file);
off_t _lseek(int file, off_t offset, int whence);
int _kill(int process, int signal);
int _getpid(void);
void *_sbrk(ptrdiff_t increment);
TK_NORETURN void _exit(int code);

int _write(int file, const char *bytes, int size_bytes) {
  (void)file;
  tk_port_write(bytes, (size_t)size_bytes);
  return size_bytes;
}

int _read(int file, char *bytes, int size_bytes) {
  (void)file;
  if (size_bytes <= 0) {
    return 0;
  }
  int c = tk_port_getc();
  while (c == TK_PORT_NONE) {
    tk_port_idle();
    c = tk_port_getc();
  }
  *bytes = (char)c;
  return 1;
}

int _close(int file) {
  (void)file;
  return -1;
}

int _fstat(int file, struct stat *status) {
  (void)file;
  status->st_mode = S_IFCHR;
  return 0;
}

int _isatty(int file) {
  (void)file;
  return 1;
}

off_t _lseek(int file, off_t offset, int whence) {
  (void)file;
  (void)offset;
  (void)whence;
  return 0;
}

int _kill(int process, int signal) {
  (void)process;
  (void)signal;
  errno = EINVAL;
  return -1;
}

int _getpid(void) { return 1; }

/* tinykit allocates nothing; a user's code may. The heap is what RAM is left above everything. */
void *_sbrk(ptrdiff_t increment) {
  static uint8_t *top = end;
  if (increment > _heap_end - top || increment < end - top) {
    errno = ENOMEM;
    return (void *)-1;
  }
  uint8_t *const old = top;
  top += increment;
  return old;
}

TK_NORETURN void _exit(int code) { tk_port_halt(code); }
