// SPDX-License-Identifier: Apache-2.0
// mww_v2_alexa on qemu-cortex-m55. Made by tinykit 0.1.0.
#include <cstdint>

#ifndef TF_LITE_STATIC_MEMORY
#error "TF_LITE_STATIC_MEMORY must be defined for every source file (platformio.ini does)"
#endif
#ifndef CMSIS_NN
#error "CMSIS_NN must be defined for every source file (platformio.ini does)"
#endif

#include "op_resolver.h"
#include "tflm_engine.h"
#include "mww_v2_alexa_io.h"
#include "tinykit/model.h"

extern "C" {
extern const uint8_t tk_data_mww_v2_alexa[];
extern const uint8_t tk_input_mww_v2_alexa_0[];
extern const uint8_t tk_output_mww_v2_alexa_0[];
}

namespace {

// The smallest arena that was found to work; arena_used_bytes() will report 24612.
constexpr size_t kArenaBytes = 24624;
static_assert(kArenaBytes % 16 == 0, "TFLM aligns its buffers to 16 bytes");
alignas(16) uint8_t arena_memory[kArenaBytes];
constexpr tinykit::TflmArena arena = {arena_memory, kArenaBytes, 24624};

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

alignas(16) uint8_t input_buffer[120];

// mww_v2_alexa
constexpr tk_tensor_t mww_v2_alexa_inputs[] = {
    // serving_default_input_audio:0, [1, 3, 40]
    {nullptr, 120, TK_TYPE_INT8, 0x1.a1a1a20000000p-4f, -128},
};
constexpr tk_tensor_t mww_v2_alexa_outputs[] = {
    // StatefulPartitionedCall:0, [1, 1]
    {nullptr, 1, TK_TYPE_UINT8, 0x1.0000000000000p-8f, 0},
};

constexpr size_t mww_v2_alexa_operator_count = kProfiled ? 45 : 0;
tk_operator_t mww_v2_alexa_operators[kProfiled ? 45 : 1];
// The runtime's table of resource variables: allocator objects, and 20 bytes for each variable.
alignas(16) uint8_t mww_v2_alexa_resources[384];
constexpr tinykit::TflmModel mww_v2_alexa_model = {
    tk_data_mww_v2_alexa,
    Register,
    &arena,
    mww_v2_alexa_resources,
    sizeof mww_v2_alexa_resources,
    6,
    mww_v2_alexa_inputs,
    1,
    mww_v2_alexa_outputs,
    1,
    mww_v2_alexa_operators,
    mww_v2_alexa_operator_count,
};
tinykit::TflmEngine mww_v2_alexa_engine(mww_v2_alexa_model);
const tk_golden_t mww_v2_alexa_golden[] = {
    {tk_input_mww_v2_alexa_0, 3, tk_output_mww_v2_alexa_0, 1},
};
const tk_model_t mww_v2_alexa = {
    {
        "mww_v2_alexa",
        "9011a8155b04de858c48038529235cbc0e42e9fca05a55bf588cb80a653a723b",
        "tflm",
        "90b983c2b",
        "cmsis-nn",
        "release",
    },
    TK_ENCODING_RAW,
    &mww_v2_alexa_engine,
    tinykit::TflmEngine::Init,
    tinykit::TflmEngine::Invoke,
    1,
    1,
    tinykit::TflmEngine::Input,
    tinykit::TflmEngine::Output,
    mww_v2_alexa_operator_count,
    tinykit::TflmEngine::OperatorAt,
    tinykit::TflmEngine::Arena,
    mww_v2_alexa_golden,
    1,
};

const tk_model_t* const models[] = {
    &mww_v2_alexa,
};

}  // namespace

extern "C" const tk_image_t tk_image = {
    "tinykit",
    models,
    1,
    input_buffer,
    sizeof input_buffer,
};
