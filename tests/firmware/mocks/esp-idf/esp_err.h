// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
typedef int esp_err_t;
#define ESP_ERROR_CHECK(call) \
  do {                        \
    (void)(call);             \
  } while (0)
