// SPDX-License-Identifier: Apache-2.0
// What goes into hello_world_int8 and what comes out. Made by tinykit 0.1.0.
#ifndef HELLO_WORLD_INT8_IO_H_
#define HELLO_WORLD_INT8_IO_H_

#include <math.h>
#include <stdint.h>

// input 0: serving_default_dense_input:0, int8_t [1, 1]
constexpr int hello_world_int8_input_0_elements = 1;
constexpr float hello_world_int8_input_0_scale = 0x1.91150c0000000p-6f;
constexpr int32_t hello_world_int8_input_0_zero_point = -128;
inline int8_t hello_world_int8_quantise_input_0(float real) {
  const float stored = roundf(real / 0x1.91150c0000000p-6f) + -128;
  if (stored < -128) return -128;
  if (stored > 127) return 127;
  return static_cast<int8_t>(stored);
}

// output 0: StatefulPartitionedCall:0, int8_t [1, 1]
constexpr int hello_world_int8_output_0_elements = 1;
constexpr float hello_world_int8_output_0_scale = 0x1.0fad960000000p-7f;
constexpr int32_t hello_world_int8_output_0_zero_point = 5;
inline float hello_world_int8_dequantise_output_0(int8_t stored) {
  return 0x1.0fad960000000p-7f * static_cast<float>(static_cast<int32_t>(stored) - (5));
}

#endif  // HELLO_WORLD_INT8_IO_H_
