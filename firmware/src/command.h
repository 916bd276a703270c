// SPDX-License-Identifier: Apache-2.0
/* A command line cut into words, and the tables that say who answers it. */
#ifndef TINYKIT_SRC_COMMAND_H_
#define TINYKIT_SRC_COMMAND_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "db load N" is the longest that has a meaning; what follows the fourth word is dropped. */
enum { TK_MAX_WORDS = 4 };

typedef struct tk_words {
  const char *word[TK_MAX_WORDS];
  size_t count;
} tk_words_t;

typedef struct tk_command {
  const char *name;
  void (*answer)(const tk_words_t *words); /* all lines but the closing m-ready */
} tk_command_t;

/* Ends with an entry whose name is NULL. */
extern const tk_command_t tk_mlperf_commands[];
extern const tk_command_t tk_extra_commands[];

/* Cuts `line` in place at spaces. */
tk_words_t tk_split(char *line);

/* Digits only, at most `limit`. False otherwise, and *value stays as it was. */
bool tk_parse_unsigned(const char *word, uint32_t limit, uint32_t *value);

#endif  // TINYKIT_SRC_COMMAND_H_
