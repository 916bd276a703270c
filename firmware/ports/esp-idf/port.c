// SPDX-License-Identifier: Apache-2.0
/*
 * ESP32 family under ESP-IDF 5.1 or later.
 *
 *   TK_BAUD            115200           9600 in an energy build, as the IO manager of MLPerf Tiny
 *   TK_TIMESTAMP_PIN   none             GPIO number; must be given for an energy build
 *   TK_STACK_BYTES     16384            of the task that runs everything
 */
#include <stdbool.h>
#include <stdint.h>

#include "driver/gpio.h"
#include "esp_cpu.h"
#include "esp_log.h"
#include "esp_rom_sys.h"
#include "esp_task_wdt.h"
#include "esp_timer.h"
#include "freertos/FreeRTOS.h"
#include "freertos/task.h"
#include "sdkconfig.h"
#include "serial.h"
#include "tinykit/mode.h"
#include "tinykit/run.h"
#include "tinykit/wrap.h"

#ifndef TK_BAUD
#define TK_BAUD (TK_ENERGY_MODE ? 9600 : 115200)
#endif

#ifndef TK_STACK_BYTES
#define TK_STACK_BYTES 16384
#endif

#if TK_ENERGY_MODE && !defined(TK_TIMESTAMP_PIN)
#error "an energy build needs -DTK_TIMESTAMP_PIN=N, the GPIO that the energy monitor watches"
#endif

enum { IDLE_MS = 50, WATCHDOG_MS = 5000, TIMESTAMP_LOW_US = 2, TASK_PRIORITY = 5 };

/* The default main task has 3.5 KB of stack, which AllocateTensors() overflows. */
static StackType_t stack[TK_STACK_BYTES / sizeof(StackType_t)];
static StaticTask_t task;
static tk_wrap_t wrap;
static int waiting = TK_PORT_NONE; /* a byte that ended tk_port_idle() */

#ifdef TK_TIMESTAMP_PIN
static void open_timestamp_pin(void) {
  gpio_set_level(TK_TIMESTAMP_PIN, 1); /* before it becomes an output: no edge at boot */
  gpio_set_direction(TK_TIMESTAMP_PIN, GPIO_MODE_OUTPUT);
  gpio_set_level(TK_TIMESTAMP_PIN, 1);
}
#else
static void open_timestamp_pin(void) {}
#endif

void tk_port_init(void) {
  esp_log_level_set("*", ESP_LOG_NONE); /* logs would mix with the protocol */
  open_timestamp_pin();
  tk_serial_open(TK_BAUD);
#if CONFIG_ESP_TASK_WDT_INIT
  /* An inference may starve the idle task for longer than the watchdog allows; that is no hang. */
  const esp_task_wdt_config_t config = {.timeout_ms = WATCHDOG_MS};
  ESP_ERROR_CHECK(esp_task_wdt_reconfigure(&config));
#endif
}

int tk_port_getc(void) {
  if (waiting != TK_PORT_NONE) {
    const int byte = waiting;
    waiting = TK_PORT_NONE;
    return byte;
  }
  return tk_serial_read(0);
}

void tk_port_write(const char *text, size_t size_bytes) { tk_serial_write(text, size_bytes); }

void tk_port_flush(void) { tk_serial_flush(); }

uint64_t tk_port_micros(void) { return (uint64_t)esp_timer_get_time(); }

static uint32_t core_hz(void) { return esp_rom_get_cpu_ticks_per_us() * 1000000u; }

/* Each core has its own counter: the task below is pinned to one. */
uint64_t tk_port_cycles(void) {
  return tk_wrap_extend_by_time(&wrap, esp_cpu_get_cycle_count(), tk_port_micros(), core_hz());
}

void tk_port_align(void) {}

uint64_t tk_port_cycles_hz(void) { return core_hz(); }

const char *tk_port_counter_name(void) { return "ccount"; }

void tk_port_timestamp(void) {
#ifdef TK_TIMESTAMP_PIN
  gpio_set_level(TK_TIMESTAMP_PIN, 0);
  esp_rom_delay_us(TIMESTAMP_LOW_US);
  gpio_set_level(TK_TIMESTAMP_PIN, 1);
#endif
}

void tk_port_idle(void) {
  (void)tk_port_cycles(); /* keeps the counter extended while the board waits for days */
  if (waiting == TK_PORT_NONE) {
    waiting = tk_serial_read(pdMS_TO_TICKS(IDLE_MS));
  }
}

bool tk_port_stack_bounds(uintptr_t *lowest, uintptr_t *end) {
  *lowest = (uintptr_t)stack;
  *end = (uintptr_t)stack + sizeof stack;
  return true;
}

const char *tk_port_name(void) { return "esp-idf"; }

TK_NORETURN void tk_port_halt(int code) {
  (void)code;
  tk_serial_flush();
  for (;;) {
    vTaskDelay(portMAX_DELAY);
  }
}

static void run(void *unused) {
  (void)unused;
  tk_run();
  tk_port_halt(0);
}

void app_main(void);

void app_main(void) {
  /* The last core: on chips with two, Wi-Fi and timers live on the first. */
  xTaskCreateStaticPinnedToCore(run, "tinykit", sizeof stack, NULL, TASK_PRIORITY, stack, &task,
                                portNUM_PROCESSORS - 1);
}
