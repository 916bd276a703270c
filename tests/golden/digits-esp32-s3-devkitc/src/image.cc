// SPDX-License-Identifier: Apache-2.0
// digits_int8 on esp32-s3-devkitc. Made by tinykit 0.1.0.
#include <cstdint>

#ifndef TF_LITE_STATIC_MEMORY
#error "TF_LITE_STATIC_MEMORY must be defined for every source file (platformio.ini does)"
#endif

#include "op_resolver.h"
#include "tflm_engine.h"
#include "digits_int8_io.h"
#include "tinykit/model.h"

extern "C" {
extern const uint8_t tk_data_digits_int8[];
extern const uint8_t tk_input_digits_int8_0[];
extern const uint8_t tk_output_digits_int8_0[];
}

namespace {

// The smallest arena that was found to work; arena_used_bytes() will report 27316.
constexpr size_t kArenaBytes = 27328;
static_assert(kArenaBytes % 16 == 0, "TFLM aligns its buffers to 16 bytes");
alignas(16) uint8_t arena_memory[kArenaBytes];
constexpr tinykit::TflmArena arena = {arena_memory, kArenaBytes, 27328};

int Register(tflite::MicroOpResolver** resolver) {
  static OpResolver operators;
  static bool registered = false;
  *resolver = &operators;
  if (registered) {
    return -1;
  }
  registered = true;
  return RegisterOperators(operators);
}

// TFLM's profiler is compiled out with the error strings: such a build cannot tell operators apart.
#ifdef TF_LITE_STRIP_ERROR_STRINGS
constexpr bool kProfiled = false;
#else
constexpr bool kProfiled = true;
#endif

alignas(16) uint8_t input_buffer[1024];

// digits_int8
constexpr tk_tensor_t digits_int8_inputs[] = {
    // serving_default_keras_tensor_25:0, [1, 32, 32, 1]
    {nullptr, 1024, TK_TYPE_INT8, 0x1.0101020000000p-8f, -128},
};
constexpr tk_tensor_t digits_int8_outputs[] = {
    // StatefulPartitionedCall_1:0, [1, 10]
    {nullptr, 10, TK_TYPE_INT8, 0x1.0000000000000p-8f, -128},
};

constexpr size_t digits_int8_operator_count = kProfiled ? 10 : 0;
tk_operator_t digits_int8_operators[kProfiled ? 10 : 1];
constexpr tinykit::TflmModel digits_int8_model = {
    tk_data_digits_int8,
    Register,
    &arena,
    nullptr,
    0,
    0,
    digits_int8_inputs,
    1,
    digits_int8_outputs,
    1,
    digits_int8_operators,
    digits_int8_operator_count,
};
tinykit::TflmEngine digits_int8_engine(digits_int8_model);
const tk_golden_t digits_int8_golden[] = {
    {tk_input_digits_int8_0, 3, tk_output_digits_int8_0, 1},
};
const tk_model_t digits_int8 = {
    {
        "digits_int8",
        "88cd8618d845b2c179046393995ebe09255ba4e3ca431acf225defd23f120b91",
        "tflm",
        "esp-tflite-micro ~1.4",
        "esp-nn",
        "release",
    },
    TK_ENCODING_RAW,
    &digits_int8_engine,
    tinykit::TflmEngine::Init,
    tinykit::TflmEngine::Invoke,
    1,
    1,
    tinykit::TflmEngine::Input,
    tinykit::TflmEngine::Output,
    digits_int8_operator_count,
    tinykit::TflmEngine::OperatorAt,
    tinykit::TflmEngine::Arena,
    digits_int8_golden,
    1,
};

const tk_model_t* const models[] = {
    &digits_int8,
};

}  // namespace

extern "C" const tk_image_t tk_image = {
    "tinykit",
    models,
    1,
    input_buffer,
    sizeof input_buffer,
};
