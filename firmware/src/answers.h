// SPDX-License-Identifier: Apache-2.0
/* tinykit's own commands. Each answer is lines tk-KEY-[VALUE]; floats are printed as their bits. */
#ifndef TINYKIT_SRC_ANSWERS_H_
#define TINYKIT_SRC_ANSWERS_H_

#include "command.h"

void tk_answer_info(const tk_words_t *words);
void tk_answer_cycles(const tk_words_t *words);
void tk_answer_ops(const tk_words_t *words);
void tk_answer_output(const tk_words_t *words);
void tk_answer_golden(const tk_words_t *words);
void tk_answer_stack(const tk_words_t *words);
void tk_answer_select(const tk_words_t *words);

#endif  // TINYKIT_SRC_ANSWERS_H_
