// SPDX-License-Identifier: Apache-2.0
/* Where the time went: tk-cycles, tk-ops. */
#include "answers.h"
#include "infer.h"
#include "state.h"
#include "tinykit/port.h"
#include "tinykit/text.h"

void tk_answer_cycles(const tk_words_t *words) {
  (void)words;
  tk_put_key_unsigned("iterations", tk_state.window.iterations);
  tk_put_key_unsigned("cycles", tk_state.window.cycles);
}

void tk_answer_ops(const tk_words_t *words) {
  (void)words;
  if (!tk_load_inputs()) {
    return;
  }
  const tk_model_t *model = tk_chosen_model();
  tk_port_align();
  const uint64_t start = tk_port_cycles();
  tk_invoke(true);
  const uint64_t end = tk_port_cycles();
  tk_put_key_unsigned("ops", model->operator_count);
  tk_put_key_unsigned("ops-cycles", end - start);
  for (size_t i = 0; i < model->operator_count; i++) {
    const tk_operator_t op = model->operator_at(model->self, i);
    tk_put("tk-op-");
    tk_put_unsigned(i);
    tk_put("-[");
    tk_put_foreign(op.name, 60);
    tk_put_char(' ');
    tk_put_unsigned(op.cycles);
    tk_put_line("]");
  }
}
