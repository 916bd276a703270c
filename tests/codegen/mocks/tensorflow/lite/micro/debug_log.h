// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/micro/mock_tflm.h"

extern "C" {
void DebugLog(const char* format, va_list args);
int DebugVsnprintf(char* buffer, size_t size, const char* format, va_list args);
}
