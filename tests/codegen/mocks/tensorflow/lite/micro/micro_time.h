// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/micro/mock_tflm.h"

namespace tflite {
uint32_t ticks_per_second();
uint32_t GetCurrentTimeTicks();
}  // namespace tflite
