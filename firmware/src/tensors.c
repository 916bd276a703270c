// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

#include <string.h>

#include "decimal.h"
#include "tinykit/text.h"

static size_t element_bytes(tk_type_t type) {
  switch (type) {
    case TK_TYPE_INT16:
      return 2;
    case TK_TYPE_INT32:
    case TK_TYPE_FLOAT32:
      return 4;
    case TK_TYPE_INT64:
      return 8;
    default:
      return 1;
  }
}

static size_t encoded_bytes(const tk_tensor_t *tensor, tk_encoding_t encoding) {
  switch (encoding) {
    case TK_ENCODING_UINT8_IMAGE:
      return tensor->type == TK_TYPE_INT8 ? tensor->size_bytes : 0;
    case TK_ENCODING_FLOAT32:
      return tensor->type == TK_TYPE_INT8 || tensor->type == TK_TYPE_FLOAT32
                 ? tensor->size_bytes / element_bytes(tensor->type) * sizeof(float)
                 : 0;
    default:
      return tensor->size_bytes;
  }
}

size_t tk_input_bytes(const tk_model_t *model, tk_encoding_t encoding) {
  size_t total = 0;
  for (size_t i = 0; i < model->input_count; i++) {
    const tk_tensor_t tensor = model->input(model->self, i);
    const size_t bytes = encoded_bytes(&tensor, encoding);
    if (bytes == 0) {
      return 0;
    }
    total += bytes;
  }
  return total;
}

/* As MLPerf Tiny's reference for ad01: round half away from zero, then shift, then saturate. */
static int8_t quantise(float value, const tk_tensor_t *tensor) {
  const float steps = value / tensor->scale;
  if (!(steps > -1024.0f)) { /* also true of a NaN */
    return INT8_MIN;
  }
  if (steps > 1024.0f) {
    return INT8_MAX;
  }
  int32_t rounded = (int32_t)steps;
  const float rest = steps - (float)rounded; /* exact; adding 0.5 before the cut would not be */
  rounded += rest >= 0.5f ? 1 : rest <= -0.5f ? -1 : 0;
  rounded += tensor->zero_point;
  return (int8_t)(rounded < INT8_MIN ? INT8_MIN : rounded > INT8_MAX ? INT8_MAX : rounded);
}

static void write_input(const tk_tensor_t *tensor, tk_encoding_t encoding, const uint8_t *bytes) {
  int8_t *out = tensor->data;
  if (encoding == TK_ENCODING_UINT8_IMAGE) {
    for (size_t i = 0; i < tensor->size_bytes; i++) {
      out[i] = (int8_t)((int)bytes[i] - 128);
    }
  } else if (encoding == TK_ENCODING_FLOAT32 && tensor->type == TK_TYPE_INT8) {
    for (size_t i = 0; i < tensor->size_bytes; i++) {
      float value;
      memcpy(&value, bytes + i * sizeof value, sizeof value);
      out[i] = quantise(value, tensor);
    }
  } else {
    memcpy(tensor->data, bytes, tensor->size_bytes);
  }
}

void tk_write_inputs(const tk_model_t *model, tk_encoding_t encoding, const uint8_t *bytes) {
  for (size_t i = 0; i < model->input_count; i++) {
    const tk_tensor_t tensor = model->input(model->self, i);
    write_input(&tensor, encoding, bytes);
    bytes += encoded_bytes(&tensor, encoding);
  }
}

void tk_clear_inputs(const tk_model_t *model) {
  for (size_t i = 0; i < model->input_count; i++) {
    const tk_tensor_t tensor = model->input(model->self, i);
    memset(tensor.data, 0, tensor.size_bytes);
  }
}

static int64_t stored_value(const tk_tensor_t *tensor, size_t index) {
  const uint8_t *at = (const uint8_t *)tensor->data + index * element_bytes(tensor->type);
  int16_t int16;
  int32_t int32;
  int64_t int64;
  switch (tensor->type) {
    case TK_TYPE_INT8:
      return *(const int8_t *)at;
    case TK_TYPE_INT16:
      memcpy(&int16, at, sizeof int16);
      return int16;
    case TK_TYPE_INT32:
      memcpy(&int32, at, sizeof int32);
      return int32;
    case TK_TYPE_INT64:
      memcpy(&int64, at, sizeof int64);
      return int64;
    default:
      return *at;
  }
}

static void put_element(const tk_tensor_t *tensor, size_t index) {
  if (tensor->type == TK_TYPE_FLOAT32) {
    float value;
    memcpy(&value, (const uint8_t *)tensor->data + index * sizeof value, sizeof value);
    tk_put_decimal(1, value);
    return;
  }
  const int64_t stored = stored_value(tensor, index);
  const bool quantised = tensor->scale > 0.0f && element_bytes(tensor->type) <= 2;
  if (quantised) {
    tk_put_decimal((int32_t)(stored - tensor->zero_point), tensor->scale);
  } else {
    tk_put_signed(stored); /* class indices and counts */
    tk_put(".000");
  }
}

void tk_put_results(const tk_model_t *model) {
  bool first = true;
  tk_put("m-results-[");
  for (size_t i = 0; i < model->output_count; i++) {
    const tk_tensor_t tensor = model->output(model->self, i);
    for (size_t k = 0; k < tensor.size_bytes / element_bytes(tensor.type); k++) {
      if (!first) {
        tk_put_char(',');
      }
      first = false;
      put_element(&tensor, k);
    }
  }
  tk_put_line("]");
}
