// SPDX-License-Identifier: Apache-2.0
// What goes into kws_ref_model and what comes out. Made by tinykit 0.1.0.
#ifndef KWS_REF_MODEL_IO_H_
#define KWS_REF_MODEL_IO_H_

#include <math.h>
#include <stdint.h>

// input 0: input_1, int8_t [1, 49, 10, 1]
constexpr int kws_ref_model_input_0_elements = 490;
constexpr float kws_ref_model_input_0_scale = 0x1.2b5e2e0000000p-1f;
constexpr int32_t kws_ref_model_input_0_zero_point = 83;
inline int8_t kws_ref_model_quantise_input_0(float real) {
  const float stored = roundf(real / 0x1.2b5e2e0000000p-1f) + 83;
  if (stored < -128) return -128;
  if (stored > 127) return 127;
  return static_cast<int8_t>(stored);
}

// output 0: Identity, int8_t [1, 12]
constexpr int kws_ref_model_output_0_elements = 12;
constexpr float kws_ref_model_output_0_scale = 0x1.0000000000000p-8f;
constexpr int32_t kws_ref_model_output_0_zero_point = -128;
inline float kws_ref_model_dequantise_output_0(int8_t stored) {
  return 0x1.0000000000000p-8f * static_cast<float>(static_cast<int32_t>(stored) - (-128));
}

#endif  // KWS_REF_MODEL_IO_H_
