// SPDX-License-Identifier: Apache-2.0
/* The timed window: warm-up, timestamp, inferences, timestamp. */
#ifndef TINYKIT_SRC_INFER_H_
#define TINYKIT_SRC_INFER_H_

#include <stdbool.h>
#include <stdint.h>

/*
 * Fills the inputs of the chosen model from what `db` loaded; zeroes where nothing was loaded.
 * False, after saying so, where the number of bytes is not the model's.
 */
bool tk_load_inputs(void);

/* Runs the chosen model once. Stops the board if the engine fails. */
void tk_invoke(bool profile);

/* Performance build: prints m-lap-us-N. Energy build: pulls the timestamp pin. */
void tk_timestamp(void);

/* The whole of `infer N W` on a loaded input, results included. */
void tk_infer(uint32_t iterations, uint32_t warmups);

#endif  // TINYKIT_SRC_INFER_H_
