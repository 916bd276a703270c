// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "esp_err.h"
typedef uint32_t TickType_t;
typedef int BaseType_t;
typedef unsigned int UBaseType_t;
typedef uint8_t StackType_t;
typedef struct {
  void *opaque[32];
} StaticTask_t;
#define portMAX_DELAY ((TickType_t)0xffffffffUL)
#define portNUM_PROCESSORS 2
#define pdMS_TO_TICKS(ms) ((TickType_t)((TickType_t)(ms) * 100u / 1000u))
