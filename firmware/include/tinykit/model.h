// SPDX-License-Identifier: Apache-2.0
/*
 * What the protocol asks of an engine (TFLM, or code generated ahead of time). One tk_model_t per
 * model; the project gathers them in `tk_image`, so that one image can hold several.
 *
 * An engine keeps all its state behind `self`, never allocates from the heap, and is never called
 * again after its init or invoke has failed: a half-built interpreter is not safe to touch.
 */
#ifndef TINYKIT_MODEL_H_
#define TINYKIT_MODEL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Stop codes. They are printed, so they keep their numbers; tk_status_text() gives the words. */
typedef enum tk_code {
  TK_OK = 0,
  TK_ERR_SCHEMA = 1,    /* detail: schema version of the model */
  TK_ERR_OPERATOR = 2,  /* detail: index of the operator that the resolver refused */
  TK_ERR_ARENA = 3,     /* detail: arena size, bytes */
  TK_ERR_TENSOR = 4,    /* detail: index of the input or output that differs from the build's */
  TK_ERR_INVOKE = 5,    /* detail: the engine's own code */
  TK_ERR_ALIGNMENT = 6, /* detail: address modulo 16 of the model or arena */
  TK_ERR_BUILD = 7,     /* detail: the engine's own code */
  TK_ERR_CLOCK = 20,    /* detail: 0 */
  TK_ERR_FAULT = 21,    /* detail: address of the instruction that faulted */
  TK_ERR_IMAGE = 22     /* detail: what of tk_image is missing */
} tk_code_t;

typedef struct tk_status {
  tk_code_t code;
  int32_t detail; /* see tk_code_t */
} tk_status_t;

typedef enum tk_type {
  TK_TYPE_INT8,
  TK_TYPE_UINT8,
  TK_TYPE_INT16,
  TK_TYPE_INT32,
  TK_TYPE_INT64,
  TK_TYPE_FLOAT32,
  TK_TYPE_BOOL
} tk_type_t;

/* One input or output: real = scale * (stored - zero_point). scale is 0 where not quantised. */
typedef struct tk_tensor {
  void *data; /* valid until the next invoke */
  size_t size_bytes;
  tk_type_t type;
  float scale;
  int32_t zero_point;
} tk_tensor_t;

/* One operator of the graph, in execution order. */
typedef struct tk_operator {
  const char *name; /* "CONV_2D" */
  uint64_t cycles;  /* counts of tk_port_cycles() in the last profiled invoke */
} tk_operator_t;

typedef struct tk_arena {
  uint32_t used_bytes;   /* what the engine reports after init */
  uint32_t needed_bytes; /* smallest size that was predicted to work, 0 where nobody predicted */
  uint32_t size_bytes;   /* what was given */
} tk_arena_t;

/*
 * How the bytes that `db` loads become input tensors. The MLPerf Tiny data sets hold what each
 * reference firmware converts on the device.
 */
typedef enum tk_encoding {
  TK_ENCODING_RAW,         /* tensor bytes as they are, all inputs one after the other (kws01) */
  TK_ENCODING_UINT8_IMAGE, /* pixels 0..255 for an int8 input: 128 is subtracted (vww01, ic01) */
  TK_ENCODING_FLOAT32      /* little-endian floats, quantised on the device (ad01) */
} tk_encoding_t;

/* An input and the output that the reference gave for it: all tensors, one after the other. */
typedef struct tk_golden {
  const uint8_t *input;
  size_t input_bytes;
  const uint8_t *output;
  size_t output_bytes;
} tk_golden_t;

/* What a log must hold so that a number can be traced to what made it. */
typedef struct tk_names {
  const char *model;         /* `profile` prints it; MLPerf Tiny knows kws01, vww01, ad01, ic01 */
  const char *model_sha256;  /* of the .tflite, 64 hex digits */
  const char *engine;        /* "tflm", "empty" */
  const char *engine_commit; /* of its source tree */
  const char *kernels;       /* "reference", "cmsis-nn", "esp-nn" */
  const char *build_flags;   /* optimisation level, NDEBUG and the like */
} tk_names_t;

typedef struct tk_model {
  tk_names_t names;
  tk_encoding_t encoding;
  void *self;

  tk_status_t (*init)(void *self);

  /*
   * One inference. With `profile` the engine also fills in the cycles of operators 0..count-1;
   * without it no counter may be read, because this runs between two timestamps.
   */
  tk_status_t (*invoke)(void *self, bool profile);

  size_t input_count;
  size_t output_count;
  tk_tensor_t (*input)(void *self, size_t index);
  tk_tensor_t (*output)(void *self, size_t index);

  size_t operator_count;
  tk_operator_t (*operator_at)(void *self, size_t index);

  tk_arena_t (*arena)(void *self);

  const tk_golden_t *golden;
  size_t golden_count;
} tk_model_t;

/* Everything that was linked into this image. The project defines it. */
typedef struct tk_image {
  const char *vendor; /* `name` prints it */
  const tk_model_t *const *models;
  size_t model_count;
  uint8_t *input_buffer; /* what `db` fills; as large as the largest input in its encoding */
  size_t input_buffer_bytes;
} tk_image_t;

extern const tk_image_t tk_image;

#ifdef __cplusplus
}
#endif

#endif  // TINYKIT_MODEL_H_
