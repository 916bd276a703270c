// SPDX-License-Identifier: Apache-2.0
#include "protocol.h"

#include <string.h>

#include "command.h"
#include "tinykit/port.h"
#include "tinykit/text.h"

/*
 * The reference firmware takes 80 characters, and the public runners send at most 64. More lets a
 * host load 500 bytes of input with one command.
 */
enum { LINE_CHARS = 1024 };

static char line[LINE_CHARS + 1];
static size_t line_chars; /* what has arrived, also beyond what is kept */

static const tk_command_t *find(const tk_command_t *table, const char *name) {
  for (; table->name != NULL; table++) {
    if (strcmp(table->name, name) == 0) {
      return table;
    }
  }
  return NULL;
}

static void answer(const tk_words_t *words) {
  const tk_command_t *command = find(tk_mlperf_commands, words->word[0]);
  if (command == NULL) {
    command = find(tk_extra_commands, words->word[0]);
  }
  if (command != NULL) {
    command->answer(words);
    return;
  }
  tk_put("e-[Unknown command: ");
  tk_put_foreign(words->word[0], 40);
  tk_put_line("]");
}

static void finish_line(void) {
  if (line_chars > LINE_CHARS) {
    tk_put("e-[Command of ");
    tk_put_unsigned(line_chars);
    tk_put(" characters, at most ");
    tk_put_unsigned(LINE_CHARS);
    tk_put_line("]");
  } else {
    line[line_chars] = '\0';
    const tk_words_t words = tk_split(line);
    if (words.count > 0) { /* a lone '%' only asks for m-ready: that is how a host falls in step */
      answer(&words);
    }
  }
  line_chars = 0;
  tk_put_line("m-ready");
  tk_port_flush();
}

void tk_protocol_take(char c) {
  if (c == '%') {
    finish_line();
  } else if (c == '\r' || c == '\n' || c == '\0') {
    /* Terminals end lines with these, and some USB bridges invent a NUL when the port opens. */
  } else {
    if (line_chars < LINE_CHARS) {
      line[line_chars] = c;
    }
    line_chars++;
  }
}
