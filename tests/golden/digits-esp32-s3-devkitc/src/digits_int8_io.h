// SPDX-License-Identifier: Apache-2.0
// What goes into digits_int8 and what comes out. Made by tinykit 0.1.0.
#ifndef DIGITS_INT8_IO_H_
#define DIGITS_INT8_IO_H_

#include <math.h>
#include <stdint.h>

// input 0: serving_default_keras_tensor_25:0, int8_t [1, 32, 32, 1]
constexpr int digits_int8_input_0_elements = 1024;
constexpr float digits_int8_input_0_scale = 0x1.0101020000000p-8f;
constexpr int32_t digits_int8_input_0_zero_point = -128;
inline int8_t digits_int8_quantise_input_0(float real) {
  const float stored = roundf(real / 0x1.0101020000000p-8f) + -128;
  if (stored < -128) return -128;
  if (stored > 127) return 127;
  return static_cast<int8_t>(stored);
}

// output 0: StatefulPartitionedCall_1:0, int8_t [1, 10]
constexpr int digits_int8_output_0_elements = 10;
constexpr float digits_int8_output_0_scale = 0x1.0000000000000p-8f;
constexpr int32_t digits_int8_output_0_zero_point = -128;
inline float digits_int8_dequantise_output_0(int8_t stored) {
  return 0x1.0000000000000p-8f * static_cast<float>(static_cast<int32_t>(stored) - (-128));
}

#endif  // DIGITS_INT8_IO_H_
