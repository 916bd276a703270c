// SPDX-License-Identifier: Apache-2.0
/*
 * Text to the host without printf: newlib-nano prints nothing for %f and %llu, and a printf costs
 * more flash than the whole protocol.
 */
#ifndef TINYKIT_TEXT_H_
#define TINYKIT_TEXT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Appends to the current line. Lines may be of any length. */
void tk_put(const char *text);
void tk_put_char(char c);
void tk_put_unsigned(uint64_t value);
void tk_put_signed(int64_t value);
void tk_put_hex(uint32_t value, unsigned digits);

/* Appends at most `limit` characters of text that came from outside; unprintable ones become '?'.
 */
void tk_put_foreign(const char *text, size_t limit);

/* Ends the line with CR LF, as MLPerf Tiny wants, and hands it to the port. */
void tk_end_line(void);

/* Ends the line that is being said, if one is. */
void tk_fresh_line(void);

/* A whole line. */
void tk_put_line(const char *text);

/* A whole line tk-KEY-[VALUE]. */
void tk_put_key(const char *key, const char *value);
void tk_put_key_unsigned(const char *key, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif  // TINYKIT_TEXT_H_
