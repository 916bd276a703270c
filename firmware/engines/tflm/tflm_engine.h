// SPDX-License-Identifier: Apache-2.0
/*
 * TensorFlow Lite Micro behind the engine interface of tinykit/model.h.
 *
 * One TflmEngine per model. All engines of an image share one arena: TFLM lets their heads overlap,
 * because only one model runs at a time, and stacks their tails. Nothing comes from the heap.
 */
#ifndef TINYKIT_ENGINES_TFLM_ENGINE_H_
#define TINYKIT_ENGINES_TFLM_ENGINE_H_

#ifndef TF_LITE_STATIC_MEMORY
#error "TF_LITE_STATIC_MEMORY must be defined for every source file: it changes TfLiteTensor"
#endif

#include <cstddef>
#include <cstdint>

#include "tensorflow/lite/micro/micro_interpreter.h"
#include "tensorflow/lite/micro/micro_op_resolver.h"
#include "tensorflow/lite/micro/micro_profiler_interface.h"
#include "tinykit/model.h"

namespace tinykit {

// The memory that all models of an image share, aligned to 16 bytes.
struct TflmArena {
  uint8_t* memory;
  size_t size_bytes;
  uint32_t needed_bytes;  // smallest size that was predicted to work for all models together
};

// What the project knows about one model when it is built.
struct TflmModel {
  const uint8_t* flatbuffer;  // aligned to 16 bytes
  // Registers the model's operators on first use. Returns -1, or the index of the one that failed.
  int (*register_operators)(tflite::MicroOpResolver** resolver);
  const TflmArena* arena;
  // Memory for the table of resource variables; null for a model without any.
  uint8_t* resource_arena;
  size_t resource_arena_bytes;
  int resource_variables;
  const tk_tensor_t* inputs;  // sizes, types and scales, checked against the model at init
  size_t input_count;
  const tk_tensor_t* outputs;
  size_t output_count;
  tk_operator_t* operators;  // filled in by a profiled invoke
  size_t operator_count;
};

// Counts the cycles of each operator of the main subgraph, and nothing while it is switched off.
class OperatorCycles final : public tflite::MicroProfilerInterface {
 public:
  void Use(tk_operator_t* operators, size_t count) {
    operators_ = operators;
    count_ = count;
  }
  void Start() {
    on_ = true;
    next_ = 0;
    depth_ = 0;
  }
  void Stop() { on_ = false; }

  uint32_t BeginEvent(const char* tag) override;
  void EndEvent(uint32_t event) override;

 private:
  tk_operator_t* operators_ = nullptr;
  size_t count_ = 0;
  size_t next_ = 0;
  // Operators of subgraphs that IF or WHILE runs count as part of it.
  size_t depth_ = 0;
  bool on_ = false;
};

class TflmEngine {
 public:
  explicit constexpr TflmEngine(const TflmModel& model) : model_(model) {}

  // The functions of tk_model_t; `self` is a TflmEngine.
  static tk_status_t Init(void* self);
  static tk_status_t Invoke(void* self, bool profile);
  static tk_tensor_t Input(void* self, size_t index);
  static tk_tensor_t Output(void* self, size_t index);
  static tk_operator_t OperatorAt(void* self, size_t index);
  static tk_arena_t Arena(void* self);

 private:
  tk_status_t Create();
  tk_status_t CheckTensors();

  const TflmModel& model_;
  OperatorCycles cycles_;
  tflite::MicroInterpreter* interpreter_ = nullptr;
  bool failed_ = false;  // an interpreter that failed is never touched again, not even destroyed
  alignas(tflite::MicroInterpreter) uint8_t storage_[sizeof(tflite::MicroInterpreter)] = {};
};

}  // namespace tinykit

#endif  // TINYKIT_ENGINES_TFLM_ENGINE_H_
