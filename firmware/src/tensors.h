// SPDX-License-Identifier: Apache-2.0
/* Inputs into a model and results out of it. */
#ifndef TINYKIT_SRC_TENSORS_H_
#define TINYKIT_SRC_TENSORS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tinykit/model.h"

/* Bytes that all inputs together take in an encoding; 0 if the encoding does not suit their types.
 */
size_t tk_input_bytes(const tk_model_t *model, tk_encoding_t encoding);

/* Converts tk_input_bytes() bytes into the input tensors. */
void tk_write_inputs(const tk_model_t *model, tk_encoding_t encoding, const uint8_t *bytes);

/* Zeroes every input tensor. */
void tk_clear_inputs(const tk_model_t *model);

/* Prints m-results-[...], every element of every output as a real number. */
void tk_put_results(const tk_model_t *model);

#endif  // TINYKIT_SRC_TENSORS_H_
