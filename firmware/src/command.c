// SPDX-License-Identifier: Apache-2.0
#include "command.h"

tk_words_t tk_split(char *line) {
  tk_words_t words = {.count = 0};
  while (words.count < TK_MAX_WORDS) {
    while (*line == ' ') {
      line++;
    }
    if (*line == '\0') {
      break;
    }
    words.word[words.count++] = line;
    while (*line != ' ' && *line != '\0') {
      line++;
    }
    if (*line == ' ') {
      *line++ = '\0';
    }
  }
  return words;
}

bool tk_parse_unsigned(const char *word, uint32_t limit, uint32_t *value) {
  uint64_t parsed = 0;
  if (*word == '\0') {
    return false;
  }
  for (; *word != '\0'; word++) {
    if (*word < '0' || *word > '9') {
      return false;
    }
    parsed = parsed * 10u + (uint64_t)(*word - '0');
    if (parsed > limit) {
      return false;
    }
  }
  *value = (uint32_t)parsed;
  return true;
}
