// SPDX-License-Identifier: Apache-2.0
/*
 * An image without a neural network: models that copy their input to their output after a fixed
 * number of loop turns, one for each way an input may be encoded. It proves a port, its clock and
 * its serial line before any engine joins, and it is what CI runs.
 */
#include <string.h>

#include "tinykit/model.h"
#include "tinykit/port.h"

enum { COPY_BYTES = 16, WORDS = 6, INPUT_BUFFER_BYTES = 64, COPY_TURNS = 10000, WORD_TURNS = 100 };

typedef struct copy {
  uint32_t turns;
  uint64_t cycles[2];
  tk_tensor_t input;
  tk_tensor_t output;
} copy_t;

/* volatile: the turns must be taken, not computed; on its own, so that they can be counted. */
__attribute__((noinline)) static void burn(uint32_t turns) {
  for (volatile uint32_t i = 0; i < turns; i++) {
  }
}

static tk_status_t copy_init(void *self) {
  copy_t *copy = self;
  const uintptr_t misfit = (uintptr_t)copy->input.data % 16u;
  const tk_code_t code = misfit == 0 ? TK_OK : TK_ERR_ALIGNMENT;
  return (tk_status_t){.code = code, .detail = (int32_t)misfit};
}

static tk_status_t copy_invoke(void *self, bool profile) {
  copy_t *copy = self;
  const uint64_t start = profile ? tk_port_cycles() : 0;
  burn(copy->turns);
  const uint64_t burnt = profile ? tk_port_cycles() : 0;
  memcpy(copy->output.data, copy->input.data, copy->output.size_bytes);
  /* A planner may reuse an input once it was read; whoever forgets to load it again shall notice.
   */
  memset(copy->input.data, 0x55, copy->input.size_bytes);
  if (profile) {
    copy->cycles[0] = burnt - start;
    copy->cycles[1] = tk_port_cycles() - burnt;
  }
  return (tk_status_t){.code = TK_OK};
}

static tk_tensor_t copy_input(void *self, size_t index) {
  (void)index;
  return ((const copy_t *)self)->input;
}

static tk_tensor_t copy_output(void *self, size_t index) {
  (void)index;
  return ((const copy_t *)self)->output;
}

static tk_operator_t copy_operator(void *self, size_t index) {
  static const char *const names[] = {"BURN", "COPY"};
  return (tk_operator_t){.name = names[index], .cycles = ((const copy_t *)self)->cycles[index]};
}

static tk_arena_t copy_arena(void *self) {
  const uint32_t bytes = (uint32_t)((const copy_t *)self)->input.size_bytes * 2u;
  return (tk_arena_t){.used_bytes = bytes, .needed_bytes = bytes, .size_bytes = bytes};
}

static _Alignas(16) int8_t bytes_in[COPY_BYTES];
static _Alignas(16) int8_t bytes_out[COPY_BYTES];
static _Alignas(16) int16_t words_in[WORDS];
static _Alignas(16) int16_t words_out[WORDS];

static copy_t copy_bytes = {
    .turns = COPY_TURNS,
    .input = {.data = bytes_in,
              .size_bytes = sizeof bytes_in,
              .type = TK_TYPE_INT8,
              .scale = 0.05f,
              .zero_point = -3},
    .output = {.data = bytes_out,
               .size_bytes = sizeof bytes_out,
               .type = TK_TYPE_INT8,
               .scale = 0.00390625f,
               .zero_point = -128},
};

static copy_t copy_words = {
    .turns = WORD_TURNS,
    .input = {.data = words_in, .size_bytes = sizeof words_in, .type = TK_TYPE_INT16},
    .output = {.data = words_out,
               .size_bytes = sizeof words_out,
               .type = TK_TYPE_INT16,
               .scale = 0.1f},
};

static const uint8_t counting[COPY_BYTES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* The second is wrong on purpose at offset 5, so that a failing comparison is seen as well. */
static const uint8_t counting_wrong[COPY_BYTES] = {0, 1, 2,  3,  4,  99, 6,  7,
                                                   8, 9, 10, 11, 12, 13, 14, 15};

static const tk_golden_t golden_bytes[] = {
    {counting, sizeof counting, counting, sizeof counting},
    {counting, sizeof counting, counting_wrong, sizeof counting_wrong},
};

#define COPY_MODEL(NAME, ENCODING, STATE, GOLDEN, GOLDEN_COUNT)                         \
  {                                                                                     \
      .names = {.model = NAME,                                                          \
                .model_sha256 =                                                         \
                    "0000000000000000000000000000000000000000000000000000000000000000", \
                .engine = "empty",                                                      \
                .engine_commit = "none",                                                \
                .kernels = "none",                                                      \
                .build_flags = "none"},                                                 \
      .encoding = ENCODING,                                                             \
      .self = STATE,                                                                    \
      .init = copy_init,                                                                \
      .invoke = copy_invoke,                                                            \
      .input_count = 1,                                                                 \
      .output_count = 1,                                                                \
      .input = copy_input,                                                              \
      .output = copy_output,                                                            \
      .operator_count = 2,                                                              \
      .operator_at = copy_operator,                                                     \
      .arena = copy_arena,                                                              \
      .golden = GOLDEN,                                                                 \
      .golden_count = GOLDEN_COUNT,                                                     \
  }

static const tk_model_t model_bytes =
    COPY_MODEL("copy-int8", TK_ENCODING_RAW, &copy_bytes, golden_bytes, 2);
static const tk_model_t model_words =
    COPY_MODEL("copy-int16", TK_ENCODING_RAW, &copy_words, NULL, 0);
static const tk_model_t model_floats =
    COPY_MODEL("copy-float32", TK_ENCODING_FLOAT32, &copy_bytes, NULL, 0);
static const tk_model_t model_image =
    COPY_MODEL("copy-image", TK_ENCODING_UINT8_IMAGE, &copy_bytes, NULL, 0);
static const tk_model_t *const models[] = {&model_bytes, &model_words, &model_floats, &model_image};
static uint8_t input_buffer[INPUT_BUFFER_BYTES];

const tk_image_t tk_image = {
    .vendor = "tinykit",
    .models = models,
    .model_count = sizeof models / sizeof models[0],
    .input_buffer = input_buffer,
    .input_buffer_bytes = sizeof input_buffer,
};
