// SPDX-License-Identifier: Apache-2.0
#include "tinykit/text.h"

#include <stdbool.h>

#include "tinykit/port.h"

/* USB serial sends each write as its own packet, so text is handed over in pieces of this size. */
enum { PIECE_BYTES = 64 };

static char piece[PIECE_BYTES];
static size_t piece_used;
static bool line_open;

static void send_piece(void) {
  tk_port_write(piece, piece_used);
  piece_used = 0;
}

void tk_put_char(char c) {
  if (piece_used == PIECE_BYTES) {
    send_piece();
  }
  piece[piece_used++] = c;
  line_open = true;
}

void tk_put(const char *text) {
  while (*text != '\0') {
    tk_put_char(*text++);
  }
}

void tk_put_unsigned(uint64_t value) {
  char digits[20]; /* 2^64 - 1 has 20 */
  size_t count = 0;
  do {
    digits[count++] = (char)('0' + (char)(value % 10u));
    value /= 10u;
  } while (value != 0);
  while (count > 0) {
    tk_put_char(digits[--count]);
  }
}

void tk_put_signed(int64_t value) {
  if (value < 0) {
    tk_put_char('-');
  }
  /* Negated as unsigned: -INT64_MIN does not exist as a signed number. */
  tk_put_unsigned(value < 0 ? 0u - (uint64_t)value : (uint64_t)value);
}

void tk_put_hex(uint32_t value, unsigned digits) {
  while (digits-- > 0) {
    tk_put_char("0123456789abcdef"[(value >> (4u * digits)) & 15u]);
  }
}

void tk_put_foreign(const char *text, size_t limit) {
  for (; *text != '\0' && limit > 0; text++, limit--) {
    tk_put_char(*text >= ' ' && *text <= '~' ? *text : '?');
  }
}

void tk_end_line(void) {
  tk_put("\r\n");
  send_piece();
  line_open = false;
}

void tk_fresh_line(void) {
  if (line_open) {
    tk_end_line();
  }
}

void tk_put_line(const char *text) {
  tk_put(text);
  tk_end_line();
}

static void open_key(const char *key) {
  tk_put("tk-");
  tk_put(key);
  tk_put("-[");
}

void tk_put_key(const char *key, const char *value) {
  open_key(key);
  tk_put_foreign(value, 4096);
  tk_put_line("]");
}

void tk_put_key_unsigned(const char *key, uint64_t value) {
  open_key(key);
  tk_put_unsigned(value);
  tk_put_line("]");
}
