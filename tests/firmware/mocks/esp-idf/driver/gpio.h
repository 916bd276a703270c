// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
#include <stdint.h>

#include "esp_err.h"
typedef int gpio_num_t;
typedef enum { GPIO_MODE_OUTPUT = 2 } gpio_mode_t;
esp_err_t gpio_set_level(gpio_num_t gpio, uint32_t level);
esp_err_t gpio_set_direction(gpio_num_t gpio, gpio_mode_t mode);
