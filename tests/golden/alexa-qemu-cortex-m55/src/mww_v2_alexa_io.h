// SPDX-License-Identifier: Apache-2.0
// What goes into mww_v2_alexa and what comes out. Made by tinykit 0.1.0.
#ifndef MWW_V2_ALEXA_IO_H_
#define MWW_V2_ALEXA_IO_H_

#include <math.h>
#include <stdint.h>

// input 0: serving_default_input_audio:0, int8_t [1, 3, 40]
constexpr int mww_v2_alexa_input_0_elements = 120;
constexpr float mww_v2_alexa_input_0_scale = 0x1.a1a1a20000000p-4f;
constexpr int32_t mww_v2_alexa_input_0_zero_point = -128;
inline int8_t mww_v2_alexa_quantise_input_0(float real) {
  const float stored = roundf(real / 0x1.a1a1a20000000p-4f) + -128;
  if (stored < -128) return -128;
  if (stored > 127) return 127;
  return static_cast<int8_t>(stored);
}

// output 0: StatefulPartitionedCall:0, uint8_t [1, 1]
constexpr int mww_v2_alexa_output_0_elements = 1;
constexpr float mww_v2_alexa_output_0_scale = 0x1.0000000000000p-8f;
constexpr int32_t mww_v2_alexa_output_0_zero_point = 0;
inline float mww_v2_alexa_dequantise_output_0(uint8_t stored) {
  return 0x1.0000000000000p-8f * static_cast<float>(static_cast<int32_t>(stored) - (0));
}

#endif  // MWW_V2_ALEXA_IO_H_
