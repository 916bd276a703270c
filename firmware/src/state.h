// SPDX-License-Identifier: Apache-2.0
/* What the host has set up so far: the chosen model, the loaded input, the last window. */
#ifndef TINYKIT_SRC_STATE_H_
#define TINYKIT_SRC_STATE_H_

#include <stdint.h>

#include "tinykit/model.h"

typedef struct tk_window {
  uint32_t iterations; /* 0: nothing was timed yet */
  uint64_t cycles;     /* of all iterations together */
} tk_window_t;

typedef struct tk_state {
  size_t model;        /* index in tk_image.models */
  size_t expect_bytes; /* what `db load N` announced */
  size_t loaded_bytes; /* how many of them have come */
  tk_window_t window;
} tk_state_t;

extern tk_state_t tk_state;

static inline const tk_model_t *tk_chosen_model(void) { return tk_image.models[tk_state.model]; }

#endif  // TINYKIT_SRC_STATE_H_
