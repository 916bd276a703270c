// SPDX-License-Identifier: Apache-2.0
/* What this image and this board are: tk-info, tk-stack, tk-select. */
#include "answers.h"
#include "decimal.h"
#include "stack.h"
#include "state.h"
#include "tensors.h"
#include "tinykit/mode.h"
#include "tinykit/port.h"
#include "tinykit/text.h"

enum { CLOCK_CHECK_US = 20000 };

static const char *const kTypeNames[] = {"int8",  "uint8",   "int16", "int32",
                                         "int64", "float32", "bool"};
static const char *const kEncodingNames[] = {"raw", "uint8-image", "float32"};

/* What the counter does in 20 ms of the other clock: a wrong clock tree or unit shows here. */
static uint64_t measured_hz(void) {
  const uint64_t start_us = tk_port_micros();
  const uint64_t start = tk_port_cycles();
  uint64_t now_us;
  do {
    now_us = tk_port_micros();
  } while (now_us - start_us < CLOCK_CHECK_US);
  return (tk_port_cycles() - start) * 1000000u / (now_us - start_us);
}

/* tk-input-0-[int8 490 3f000000 -128]: type, bytes, scale as IEEE 754 bits, zero point. */
static void put_tensor(const char *key, size_t index, const tk_tensor_t *tensor) {
  tk_put("tk-");
  tk_put(key);
  tk_put_char('-');
  tk_put_unsigned(index);
  tk_put("-[");
  tk_put(kTypeNames[tensor->type]);
  tk_put_char(' ');
  tk_put_unsigned(tensor->size_bytes);
  tk_put_char(' ');
  tk_put_hex(tk_float_bits(tensor->scale), 8);
  tk_put_char(' ');
  tk_put_signed(tensor->zero_point);
  tk_put_line("]");
}

static void put_stack(void) {
  uint32_t size_bytes = 0;
  uint32_t used_bytes = 0;
  if (tk_stack_read(&size_bytes, &used_bytes)) {
    tk_put_key_unsigned("stack-size-bytes", size_bytes);
    tk_put_key_unsigned("stack-used-bytes", used_bytes);
  } else {
    tk_put_key("stack-size-bytes", "unknown");
    tk_put_key("stack-used-bytes", "unknown");
  }
}

static void put_board(void) {
  tk_put_key("port", tk_port_name());
  tk_put_key("mode", TK_ENERGY_MODE ? "energy" : "performance");
  tk_put_key("counter", tk_port_counter_name());
  tk_put_key_unsigned("counter-hz", tk_port_cycles_hz());
  tk_put_key_unsigned("counter-measured-hz", measured_hz());
}

void tk_answer_info(const tk_words_t *words) {
  (void)words;
  const tk_model_t *model = tk_chosen_model();
  const tk_arena_t arena = model->arena(model->self);
  tk_put_key_unsigned("models", tk_image.model_count);
  tk_put_key_unsigned("selected", tk_state.model);
  tk_put_key("model", model->names.model);
  tk_put_key("model-sha256", model->names.model_sha256);
  tk_put_key("engine", model->names.engine);
  tk_put_key("engine-commit", model->names.engine_commit);
  tk_put_key("kernels", model->names.kernels);
  tk_put_key("build-flags", model->names.build_flags);
  put_board();
  tk_put_key_unsigned("arena-used-bytes", arena.used_bytes);
  tk_put_key_unsigned("arena-needed-bytes", arena.needed_bytes);
  tk_put_key_unsigned("arena-size-bytes", arena.size_bytes);
  tk_put_key_unsigned("input-buffer-bytes", tk_image.input_buffer_bytes);
  tk_put_key("input-encoding", kEncodingNames[model->encoding]);
  for (size_t i = 0; i < model->input_count; i++) {
    const tk_tensor_t tensor = model->input(model->self, i);
    put_tensor("input", i, &tensor);
  }
  for (size_t i = 0; i < model->output_count; i++) {
    const tk_tensor_t tensor = model->output(model->self, i);
    put_tensor("output", i, &tensor);
  }
  put_stack();
}

void tk_answer_stack(const tk_words_t *words) {
  (void)words;
  put_stack();
}

void tk_answer_select(const tk_words_t *words) {
  uint32_t index = 0;
  if (words->count < 2 ||
      !tk_parse_unsigned(words->word[1], (uint32_t)tk_image.model_count - 1u, &index)) {
    tk_put("e-[Command 'tk-select' requires a model, 0 to ");
    tk_put_unsigned(tk_image.model_count - 1u);
    tk_put_line("]");
    return;
  }
  tk_state = (tk_state_t){.model = index}; /* bytes loaded for another model mean nothing here */
  tk_put_key_unsigned("selected", index);
  tk_put_key("model", tk_chosen_model()->names.model);
}
