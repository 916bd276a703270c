// SPDX-License-Identifier: Apache-2.0
/* An image whose models fail, each in its own way, to see that the board says so. */
#include "tinykit/model.h"

#ifndef FAULTY_INIT
#define FAULTY_INIT 0
#endif

static volatile uint32_t sink = 1;

/* Not a tail call, and not a loop: the address of a local escapes. */
static uint32_t recurse(volatile uint32_t *above) {
  volatile uint32_t here[32];
  here[0] = *above + 1u;
  return sink != 0 ? recurse(here) + here[0] : 0; /* sink stays 1, which only we know */
}

static tk_status_t init(void *self) {
  (void)self;
  return FAULTY_INIT ? (tk_status_t){TK_ERR_ARENA, 4096} : (tk_status_t){TK_OK, 0};
}

static tk_status_t refuse(void *self, bool profile) {
  (void)self;
  (void)profile;
  return (tk_status_t){TK_ERR_INVOKE, -7};
}

static tk_status_t read_nowhere(void *self, bool profile) {
  sink = *(volatile uint32_t *)(uintptr_t)0xF0000000u;
  return refuse(self, profile);
}

static tk_status_t overflow_stack(void *self, bool profile) {
  sink = recurse(&sink);
  return refuse(self, profile);
}

static int8_t data[16];

static tk_tensor_t tensor(void *self, size_t index) {
  (void)self;
  (void)index;
  return (tk_tensor_t){data, sizeof data, TK_TYPE_INT8, 1.0f, 0};
}

static tk_operator_t operator_at(void *self, size_t index) {
  (void)self;
  (void)index;
  return (tk_operator_t){"NONE", 0};
}

static tk_arena_t arena(void *self) {
  (void)self;
  return (tk_arena_t){0, 0, 0};
}

#define FAULTY_MODEL(INVOKE)                         \
  {                                                  \
      .names = {"faulty", "", "faulty", "", "", ""}, \
      .init = init,                                  \
      .invoke = INVOKE,                              \
      .input_count = 1,                              \
      .output_count = 1,                             \
      .input = tensor,                               \
      .output = tensor,                              \
      .operator_at = operator_at,                    \
      .arena = arena,                                \
  }

static const tk_model_t model_refuse = FAULTY_MODEL(refuse);
static const tk_model_t model_read = FAULTY_MODEL(read_nowhere);
static const tk_model_t model_stack = FAULTY_MODEL(overflow_stack);
static const tk_model_t *const models[] = {&model_refuse, &model_read, &model_stack};
static uint8_t input_buffer[16];

const tk_image_t tk_image = {"tinykit", models, 3, input_buffer, sizeof input_buffer};
