// SPDX-License-Identifier: Apache-2.0
/* What came out, bit for bit: tk-output, tk-golden. */
#include "answers.h"
#include "infer.h"
#include "state.h"
#include "tensors.h"
#include "tinykit/text.h"

enum { OUTPUT_BYTES_PER_LINE = 64 };

/* CRC-32 as in zlib; bit by bit, because a table of 1 KiB would cost more than the time saved. */
static uint32_t crc32_add(uint32_t crc, const uint8_t *bytes, size_t size_bytes) {
  crc = ~crc;
  for (size_t i = 0; i < size_bytes; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) {
      crc = crc >> 1 ^ (0xEDB88320u & (0u - (crc & 1u)));
    }
  }
  return ~crc;
}

static void put_output_line(size_t index, const tk_tensor_t *tensor, size_t offset) {
  const uint8_t *bytes = tensor->data;
  tk_put("tk-output-");
  tk_put_unsigned(index);
  tk_put_char('-');
  tk_put_unsigned(offset);
  tk_put("-[");
  for (size_t i = offset; i < tensor->size_bytes && i < offset + OUTPUT_BYTES_PER_LINE; i++) {
    tk_put_hex(bytes[i], 2);
  }
  tk_put_line("]");
}

/* tk-output-TENSOR-OFFSET-[hex], then a CRC over all of it: serial lines lose bytes. */
void tk_answer_output(const tk_words_t *words) {
  (void)words;
  const tk_model_t *model = tk_chosen_model();
  uint32_t crc = 0;
  for (size_t i = 0; i < model->output_count; i++) {
    const tk_tensor_t tensor = model->output(model->self, i);
    for (size_t at = 0; at < tensor.size_bytes; at += OUTPUT_BYTES_PER_LINE) {
      put_output_line(i, &tensor, at);
    }
    crc = crc32_add(crc, tensor.data, tensor.size_bytes);
  }
  tk_put("tk-output-crc32-[");
  tk_put_hex(crc, 8);
  tk_put_line("]");
}

typedef struct tk_difference {
  size_t count; /* bytes that differ */
  size_t first; /* offset of the first of them, over all outputs */
  uint8_t got;
  uint8_t expected;
} tk_difference_t;

static tk_difference_t compare(const tk_model_t *model, const tk_golden_t *golden) {
  tk_difference_t difference = {.count = 0};
  size_t at = 0;
  for (size_t i = 0; i < model->output_count; i++) {
    const tk_tensor_t tensor = model->output(model->self, i);
    const uint8_t *got = tensor.data;
    for (size_t k = 0; k < tensor.size_bytes && at < golden->output_bytes; k++, at++) {
      if (got[k] != golden->output[at] && difference.count++ == 0) {
        difference.first = at;
        difference.got = got[k];
        difference.expected = golden->output[at];
      }
    }
  }
  return difference;
}

static void put_golden(size_t index, const tk_difference_t *difference) {
  tk_put("tk-golden-");
  tk_put_unsigned(index);
  if (difference->count == 0) {
    tk_put_line("-[pass]");
    return;
  }
  tk_put("-[fail bytes ");
  tk_put_unsigned(difference->count);
  tk_put(" first ");
  tk_put_unsigned(difference->first);
  tk_put(" got ");
  tk_put_hex(difference->got, 2);
  tk_put(" expected ");
  tk_put_hex(difference->expected, 2);
  tk_put_line("]");
}

static size_t output_bytes(const tk_model_t *model) {
  size_t total = 0;
  for (size_t i = 0; i < model->output_count; i++) {
    total += model->output(model->self, i).size_bytes;
  }
  return total;
}

void tk_answer_golden(const tk_words_t *words) {
  (void)words;
  const tk_model_t *model = tk_chosen_model();
  size_t passed = 0;
  for (size_t i = 0; i < model->golden_count; i++) {
    const tk_golden_t *golden = &model->golden[i];
    if (golden->input_bytes != tk_input_bytes(model, TK_ENCODING_RAW) ||
        golden->output_bytes != output_bytes(model)) {
      tk_put_line("e-[A golden vector is not of the model's size]");
      continue;
    }
    tk_write_inputs(model, TK_ENCODING_RAW, golden->input);
    tk_invoke(false);
    const tk_difference_t difference = compare(model, golden);
    put_golden(i, &difference);
    passed += difference.count == 0 ? 1u : 0u;
  }
  tk_put_key_unsigned("golden-count", model->golden_count);
  tk_put_key_unsigned("golden-passed", passed);
}
