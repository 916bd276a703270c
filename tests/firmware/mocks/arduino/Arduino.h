// SPDX-License-Identifier: Apache-2.0
/*
 * The public Arduino API as far as the port uses it, signatures only.
 * Source: arduino/ArduinoCore-API, api/Common.h, api/HardwareSerial.h, api/Print.h, api/Stream.h.
 */
#ifndef MOCK_ARDUINO_H_
#define MOCK_ARDUINO_H_

#include <stddef.h>
#include <stdint.h>

#define F_CPU 64000000L

typedef uint8_t pin_size_t;
typedef enum { LOW = 0, HIGH = 1 } PinStatus;
typedef enum { INPUT = 0, OUTPUT = 1 } PinMode;

extern "C" {
void pinMode(pin_size_t pin, PinMode mode);
void digitalWrite(pin_size_t pin, PinStatus value);
void delay(unsigned long ms);
void delayMicroseconds(unsigned int us);
unsigned long micros(void);
void yield(void);
}

class MockSerial {
 public:
  void begin(unsigned long baud);
  int available();
  int read();
  size_t write(const uint8_t *bytes, size_t size);
  void flush();
};
extern MockSerial Serial;

#if defined(ARDUINO_ARCH_ESP32)
class EspClass {
 public:
  uint32_t getCycleCount();
};
extern EspClass ESP;
#endif

#if defined(ARDUINO_ARCH_RP2040)
class RP2040 {
 public:
  uint64_t getCycleCount64();
};
extern RP2040 rp2040;
#endif

void setup();
void loop();

#endif  // MOCK_ARDUINO_H_
