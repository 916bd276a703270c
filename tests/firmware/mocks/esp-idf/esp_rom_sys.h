// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
#include <stdint.h>
uint32_t esp_rom_get_cpu_ticks_per_us(void);
void esp_rom_delay_us(uint32_t us);
