// SPDX-License-Identifier: Apache-2.0
/*
 * What TFLM asks of a platform: its log, and a clock. They take the place of TFLM's debug_log.cc
 * and micro_time.cc, whose defaults print through stdio and always answer 0.
 */
#include <cstdarg>
#include <cstdint>
#include <cstring>

#include "tensorflow/lite/micro/debug_log.h"
#include "tensorflow/lite/micro/micro_time.h"
#include "tinykit/port.h"

// The message as it stands, its figures left out: formatting them would link a printf.
extern "C" void DebugLog(const char* format, va_list) {
  static constexpr char kLead[] = "# ";
  if (format[0] != '\r') {
    tk_port_write(kLead, sizeof kLead - 1);
  }
  tk_port_write(format, strlen(format));
}

extern "C" int DebugVsnprintf(char* buffer, size_t size, const char* format, va_list) {
  if (size == 0) {
    return 0;
  }
  strncpy(buffer, format, size - 1);
  buffer[size - 1] = '\0';
  return static_cast<int>(strlen(buffer));
}

namespace tflite {

uint32_t ticks_per_second() { return 1000000; }

uint32_t GetCurrentTimeTicks() { return static_cast<uint32_t>(tk_port_micros()); }

}  // namespace tflite
