// SPDX-License-Identifier: Apache-2.0
#include "tinykit/run.h"

const char *tk_status_text(tk_code_t code) {
  switch (code) {
    case TK_OK:
      return "ok";
    case TK_ERR_SCHEMA:
      return "the model has a schema version that this engine does not read";
    case TK_ERR_OPERATOR:
      return "the operator resolver refused an operator";
    case TK_ERR_ARENA:
      return "AllocateTensors failed: arena too small or an operator refused its tensors";
    case TK_ERR_TENSOR:
      return "an input or output is not what the project was generated for";
    case TK_ERR_INVOKE:
      return "the inference failed";
    case TK_ERR_ALIGNMENT:
      return "model or arena is not aligned to 16 bytes";
    case TK_ERR_BUILD:
      return "parts of the image were built with different settings";
    case TK_ERR_CLOCK:
      return "the cycle counter does not move";
    case TK_ERR_FAULT:
      return "the core took a fault";
    case TK_ERR_IMAGE:
      return "the image holds no model or no input buffer";
  }
  return "unknown code";
}
