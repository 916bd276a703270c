// SPDX-License-Identifier: Apache-2.0
/*
 * Any board with an Arduino core, through the public Arduino API alone.
 *
 *   TK_SERIAL          Serial           which port speaks with the host
 *   TK_BAUD            115200           9600 in an energy build, as the IO manager of MLPerf Tiny
 *   TK_TIMESTAMP_PIN   none             must be given for an energy build
 */
#include <Arduino.h>

#include "dwt.h"
#include "tinykit/mode.h"
#include "tinykit/run.h"
#include "tinykit/wrap.h"

#ifndef TK_SERIAL
#define TK_SERIAL Serial
#endif

#ifndef TK_BAUD
#define TK_BAUD (TK_ENERGY_MODE ? 9600 : 115200)
#endif

#if TK_ENERGY_MODE && !defined(TK_TIMESTAMP_PIN)
#error "an energy build needs -DTK_TIMESTAMP_PIN=N, the pin that the energy monitor watches"
#endif

#if defined(F_CPU_ACTUAL) /* Teensy 4: set at run time */
#define TK_CORE_HZ F_CPU_ACTUAL
#elif defined(F_CPU)
#define TK_CORE_HZ F_CPU
#else
#error "this Arduino core does not define F_CPU"
#endif

namespace {

constexpr unsigned kTimestampLowUs = 2;

/* Which of the counters below tk_port_cycles() this board has. */
enum class Counter { kCycles32, kCycles64, kMicros };

Counter counter = Counter::kMicros;
tk_wrap_t wrap = {0, 0};

#if defined(ARDUINO_ARCH_ESP32) || defined(ARDUINO_ARCH_ESP8266)

const char kCounterName[] = "ccount";
Counter start_counter() { return Counter::kCycles32; }
uint32_t read_cycles32() { return ESP.getCycleCount(); }
uint64_t read_cycles64() { return 0; }

#elif defined(ARDUINO_ARCH_RP2040) && !defined(ARDUINO_ARCH_MBED)

/* Cortex-M0+ has no DWT counter; this core extends SysTick itself. */
const char kCounterName[] = "systick";
Counter start_counter() { return Counter::kCycles64; }
uint32_t read_cycles32() { return 0; }
uint64_t read_cycles64() { return rp2040.getCycleCount64(); }

#else

const char kCounterName[] = "dwt";
Counter start_counter() { return tk_dwt_start() ? Counter::kCycles32 : Counter::kMicros; }
uint32_t read_cycles32() { return tk_dwt_cycles(); }
uint64_t read_cycles64() { return 0; }

#endif

#ifdef TK_TIMESTAMP_PIN
void set_timestamp_pin(bool high) { digitalWrite(TK_TIMESTAMP_PIN, high ? HIGH : LOW); }
#endif

}  // namespace

extern "C" {

void tk_port_init(void) {
#ifdef TK_TIMESTAMP_PIN
  set_timestamp_pin(true); /* before it becomes an output: no edge at boot */
  pinMode(TK_TIMESTAMP_PIN, OUTPUT);
  set_timestamp_pin(true);
#endif
  TK_SERIAL.begin(TK_BAUD);
  counter = start_counter();
}

int tk_port_getc(void) { return TK_SERIAL.available() > 0 ? TK_SERIAL.read() : TK_PORT_NONE; }

void tk_port_write(const char *text, size_t size_bytes) {
  TK_SERIAL.write(reinterpret_cast<const uint8_t *>(text), size_bytes);
}

void tk_port_flush(void) { TK_SERIAL.flush(); }

/* micros() wraps after 71 min; whoever waits or measures asks more often than that. */
uint64_t tk_port_micros(void) {
  static uint64_t last_us = 0;
  last_us = tk_wrap_extend(last_us, static_cast<uint32_t>(micros()));
  return last_us;
}

uint64_t tk_port_cycles(void) {
  switch (counter) {
    case Counter::kCycles64:
      return read_cycles64();
    case Counter::kCycles32:
      return tk_wrap_extend_by_time(&wrap, read_cycles32(), tk_port_micros(),
                                    static_cast<uint32_t>(TK_CORE_HZ));
    default:
      return tk_port_micros();
  }
}

void tk_port_align(void) {}

uint64_t tk_port_cycles_hz(void) {
  return counter == Counter::kMicros ? 1000000u : static_cast<uint64_t>(TK_CORE_HZ);
}

const char *tk_port_counter_name(void) {
  return counter == Counter::kMicros ? "timer" : kCounterName;
}

void tk_port_timestamp(void) {
#ifdef TK_TIMESTAMP_PIN
  set_timestamp_pin(false);
  delayMicroseconds(kTimestampLowUs);
  set_timestamp_pin(true);
#endif
}

/* Also keeps both clocks extended while the board waits for days. */
void tk_port_idle(void) {
  (void)tk_port_cycles();
  yield();
}

/* Each core and each RTOS below it lays its stacks out differently; none of it is public API. */
bool tk_port_stack_bounds(uintptr_t *lowest, uintptr_t *end) {
  (void)lowest;
  (void)end;
  return false;
}

const char *tk_port_name(void) { return "arduino"; }

TK_NORETURN void tk_port_halt(int code) {
  (void)code;
  TK_SERIAL.flush();
  for (;;) {
    delay(1000);
  }
}

}  // extern "C"

void setup() {}

void loop() { tk_run(); }
