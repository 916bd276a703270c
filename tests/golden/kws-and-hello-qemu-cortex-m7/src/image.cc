// SPDX-License-Identifier: Apache-2.0
// kws_ref_model, hello_world_int8 on qemu-cortex-m7. Made by tinykit 0.1.0.
#include <cstdint>

#ifndef TF_LITE_STATIC_MEMORY
#error "TF_LITE_STATIC_MEMORY must be defined for every source file (platformio.ini does)"
#endif
#ifndef CMSIS_NN
#error "CMSIS_NN must be defined for every source file (platformio.ini does)"
#endif

#include "op_resolver.h"
#include "tflm_engine.h"
#include "kws_ref_model_io.h"
#include "hello_world_int8_io.h"
#include "tinykit/model.h"

extern "C" {
extern const uint8_t tk_data_kws_ref_model[];
extern const uint8_t tk_input_kws_ref_model_0[];
extern const uint8_t tk_output_kws_ref_model_0[];
extern const uint8_t tk_data_hello_world_int8[];
extern const uint8_t tk_input_hello_world_int8_0[];
extern const uint8_t tk_output_hello_world_int8_0[];
}

namespace {

// The smallest arena that was found to work; arena_used_bytes() will report 23444.
constexpr size_t kArenaBytes = 23456;
static_assert(kArenaBytes % 16 == 0, "TFLM aligns its buffers to 16 bytes");
alignas(16) uint8_t arena_memory[kArenaBytes];
constexpr tinykit::TflmArena arena = {arena_memory, kArenaBytes, 23456};

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

alignas(16) uint8_t input_buffer[490];

// kws_ref_model
constexpr tk_tensor_t kws_ref_model_inputs[] = {
    // input_1, [1, 49, 10, 1]
    {nullptr, 490, TK_TYPE_INT8, 0x1.2b5e2e0000000p-1f, 83},
};
constexpr tk_tensor_t kws_ref_model_outputs[] = {
    // Identity, [1, 12]
    {nullptr, 12, TK_TYPE_INT8, 0x1.0000000000000p-8f, -128},
};

constexpr size_t kws_ref_model_operator_count = kProfiled ? 13 : 0;
tk_operator_t kws_ref_model_operators[kProfiled ? 13 : 1];
constexpr tinykit::TflmModel kws_ref_model_model = {
    tk_data_kws_ref_model,
    Register,
    &arena,
    nullptr,
    0,
    0,
    kws_ref_model_inputs,
    1,
    kws_ref_model_outputs,
    1,
    kws_ref_model_operators,
    kws_ref_model_operator_count,
};
tinykit::TflmEngine kws_ref_model_engine(kws_ref_model_model);
const tk_golden_t kws_ref_model_golden[] = {
    {tk_input_kws_ref_model_0, 3, tk_output_kws_ref_model_0, 1},
};
const tk_model_t kws_ref_model = {
    {
        "kws_ref_model",
        "aeea436800704fce17b17292e4412630ad856e9d777c044c64ef748a880bd0ae",
        "tflm",
        "90b983c2b",
        "cmsis-nn",
        "release",
    },
    TK_ENCODING_RAW,
    &kws_ref_model_engine,
    tinykit::TflmEngine::Init,
    tinykit::TflmEngine::Invoke,
    1,
    1,
    tinykit::TflmEngine::Input,
    tinykit::TflmEngine::Output,
    kws_ref_model_operator_count,
    tinykit::TflmEngine::OperatorAt,
    tinykit::TflmEngine::Arena,
    kws_ref_model_golden,
    1,
};

// hello_world_int8
constexpr tk_tensor_t hello_world_int8_inputs[] = {
    // serving_default_dense_input:0, [1, 1]
    {nullptr, 1, TK_TYPE_INT8, 0x1.91150c0000000p-6f, -128},
};
constexpr tk_tensor_t hello_world_int8_outputs[] = {
    // StatefulPartitionedCall:0, [1, 1]
    {nullptr, 1, TK_TYPE_INT8, 0x1.0fad960000000p-7f, 5},
};

constexpr size_t hello_world_int8_operator_count = kProfiled ? 3 : 0;
tk_operator_t hello_world_int8_operators[kProfiled ? 3 : 1];
constexpr tinykit::TflmModel hello_world_int8_model = {
    tk_data_hello_world_int8,
    Register,
    &arena,
    nullptr,
    0,
    0,
    hello_world_int8_inputs,
    1,
    hello_world_int8_outputs,
    1,
    hello_world_int8_operators,
    hello_world_int8_operator_count,
};
tinykit::TflmEngine hello_world_int8_engine(hello_world_int8_model);
const tk_golden_t hello_world_int8_golden[] = {
    {tk_input_hello_world_int8_0, 3, tk_output_hello_world_int8_0, 1},
};
const tk_model_t hello_world_int8 = {
    {
        "hello_world_int8",
        "505ee4fae7fa46ab67bea4c08b4969eb3eb8b9114c50595ec4a29d9a27993202",
        "tflm",
        "90b983c2b",
        "cmsis-nn",
        "release",
    },
    TK_ENCODING_RAW,
    &hello_world_int8_engine,
    tinykit::TflmEngine::Init,
    tinykit::TflmEngine::Invoke,
    1,
    1,
    tinykit::TflmEngine::Input,
    tinykit::TflmEngine::Output,
    hello_world_int8_operator_count,
    tinykit::TflmEngine::OperatorAt,
    tinykit::TflmEngine::Arena,
    hello_world_int8_golden,
    1,
};

const tk_model_t* const models[] = {
    &kws_ref_model,
    &hello_world_int8,
};

}  // namespace

extern "C" const tk_image_t tk_image = {
    "tinykit",
    models,
    2,
    input_buffer,
    sizeof input_buffer,
};
