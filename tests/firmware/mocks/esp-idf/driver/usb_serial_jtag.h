// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
#include "freertos/FreeRTOS.h"
typedef struct {
  uint32_t tx_buffer_size;
  uint32_t rx_buffer_size;
} usb_serial_jtag_driver_config_t;
esp_err_t usb_serial_jtag_driver_install(usb_serial_jtag_driver_config_t *config);
int usb_serial_jtag_read_bytes(void *bytes, uint32_t length, TickType_t wait);
int usb_serial_jtag_write_bytes(const void *bytes, size_t size, TickType_t wait);
esp_err_t usb_serial_jtag_wait_tx_done(TickType_t wait);
