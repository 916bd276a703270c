// SPDX-License-Identifier: Apache-2.0
/* Public ESP-IDF 5 API as far as the port uses it, signatures only. Source: espressif/esp-idf. */
#pragma once
#include "freertos/FreeRTOS.h"
typedef int uart_port_t;
typedef void *QueueHandle_t;
#define UART_NUM_0 0
esp_err_t uart_driver_install(uart_port_t uart, int rx_buffer_size, int tx_buffer_size,
                              int queue_size, QueueHandle_t *queue, int intr_alloc_flags);
esp_err_t uart_set_baudrate(uart_port_t uart, uint32_t baud);
int uart_read_bytes(uart_port_t uart, void *bytes, uint32_t length, TickType_t wait);
int uart_write_bytes(uart_port_t uart, const void *bytes, size_t size);
esp_err_t uart_wait_tx_done(uart_port_t uart, TickType_t wait);
