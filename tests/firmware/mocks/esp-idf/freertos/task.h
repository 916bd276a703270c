// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
#include "freertos/FreeRTOS.h"
typedef void (*TaskFunction_t)(void *);
typedef void *TaskHandle_t;
TaskHandle_t xTaskCreateStaticPinnedToCore(TaskFunction_t task, const char *const name,
                                           const uint32_t stack_bytes, void *const parameters,
                                           UBaseType_t priority, StackType_t *const stack,
                                           StaticTask_t *const buffer, const BaseType_t core);
void vTaskDelay(const TickType_t ticks);
