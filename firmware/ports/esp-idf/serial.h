// SPDX-License-Identifier: Apache-2.0
/* The serial line of an ESP32: UART0, or the USB of chips whose console is there. */
#ifndef TINYKIT_PORTS_ESP_IDF_SERIAL_H_
#define TINYKIT_PORTS_ESP_IDF_SERIAL_H_

#include <stddef.h>

#include "freertos/FreeRTOS.h"

void tk_serial_open(int baud);

/* The next byte, or -1 where none came within `wait` ticks. */
int tk_serial_read(TickType_t wait);

void tk_serial_write(const char *text, size_t size_bytes);

void tk_serial_flush(void);

#endif  // TINYKIT_PORTS_ESP_IDF_SERIAL_H_
