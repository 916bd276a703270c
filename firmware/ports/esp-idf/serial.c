// SPDX-License-Identifier: Apache-2.0
#include "serial.h"

#include <stdint.h>

#include "sdkconfig.h"

enum { BUFFER_BYTES = 1024, FLUSH_MS = 1000 };

#if CONFIG_ESP_CONSOLE_USB_SERIAL_JTAG

#include "driver/usb_serial_jtag.h"

/* Without a host on the other end nothing drains the USB: what does not fit soon is dropped. */
enum { ABSENT_HOST_MS = 100 };

void tk_serial_open(int baud) {
  (void)baud;
  usb_serial_jtag_driver_config_t config = {.tx_buffer_size = BUFFER_BYTES,
                                            .rx_buffer_size = BUFFER_BYTES};
  ESP_ERROR_CHECK(usb_serial_jtag_driver_install(&config));
}

int tk_serial_read(TickType_t wait) {
  uint8_t byte;
  return usb_serial_jtag_read_bytes(&byte, 1, wait) == 1 ? byte : -1;
}

void tk_serial_write(const char *text, size_t size_bytes) {
  usb_serial_jtag_write_bytes(text, size_bytes, pdMS_TO_TICKS(ABSENT_HOST_MS));
}

void tk_serial_flush(void) { usb_serial_jtag_wait_tx_done(pdMS_TO_TICKS(FLUSH_MS)); }

#else

#include "driver/uart.h"

void tk_serial_open(int baud) {
  /* No transmit buffer: a write returns when its bytes are in the hardware. */
  ESP_ERROR_CHECK(uart_driver_install(UART_NUM_0, BUFFER_BYTES, 0, 0, NULL, 0));
  ESP_ERROR_CHECK(uart_set_baudrate(UART_NUM_0, (uint32_t)baud));
}

int tk_serial_read(TickType_t wait) {
  uint8_t byte;
  return uart_read_bytes(UART_NUM_0, &byte, 1, wait) == 1 ? byte : -1;
}

void tk_serial_write(const char *text, size_t size_bytes) {
  uart_write_bytes(UART_NUM_0, text, size_bytes);
}

void tk_serial_flush(void) { uart_wait_tx_done(UART_NUM_0, pdMS_TO_TICKS(FLUSH_MS)); }

#endif
