// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
typedef enum { ESP_LOG_NONE = 0 } esp_log_level_t;
void esp_log_level_set(const char *tag, esp_log_level_t level);
