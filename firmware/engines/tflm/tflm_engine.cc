// SPDX-License-Identifier: Apache-2.0
#include "tflm_engine.h"

#include <new>

#include "tensorflow/lite/micro/micro_allocator.h"
#include "tensorflow/lite/micro/micro_resource_variable.h"
#include "tensorflow/lite/schema/schema_generated.h"
#include "tinykit/port.h"

namespace tinykit {
namespace {

constexpr uintptr_t kAlignment = 16;
constexpr uint32_t kNested = UINT32_MAX;

constexpr tk_status_t kOk = {TK_OK, 0};

tk_status_t Failure(tk_code_t code, size_t detail) {
  return {code, static_cast<int32_t>(detail)};
}

uintptr_t Misfit(const void* address) { return reinterpret_cast<uintptr_t>(address) % kAlignment; }

// The allocator of the shared arena, made by whichever model comes first.
tflite::MicroAllocator* SharedAllocator(const TflmArena& arena) {
  static tflite::MicroAllocator* allocator = nullptr;
  if (allocator == nullptr) {
    allocator = tflite::MicroAllocator::Create(arena.memory, arena.size_bytes);
  }
  return allocator;
}

tflite::MicroResourceVariables* ResourceVariables(const TflmModel& model) {
  if (model.resource_variables == 0) {
    return nullptr;
  }
  // Apart from the arena, so that the arena is what was predicted.
  auto* allocator =
      tflite::MicroAllocator::Create(model.resource_arena, model.resource_arena_bytes);
  return tflite::MicroResourceVariables::Create(allocator, model.resource_variables);
}

bool Differs(const TfLiteTensor* found, const tk_tensor_t& wanted) {
  return found == nullptr || found->data.data == nullptr || found->bytes != wanted.size_bytes;
}

}  // namespace

uint32_t OperatorCycles::BeginEvent(const char* tag) {
  if (!on_) {
    return kNested;
  }
  if (depth_++ > 0 || next_ >= count_) {
    return kNested;
  }
  const auto event = static_cast<uint32_t>(next_++);
  operators_[event].name = tag;
  operators_[event].cycles = tk_port_cycles();
  return event;
}

void OperatorCycles::EndEvent(uint32_t event) {
  if (!on_) {
    return;
  }
  --depth_;
  if (event != kNested) {
    operators_[event].cycles = tk_port_cycles() - operators_[event].cycles;
  }
}

tk_status_t TflmEngine::Create() {
  const TflmArena& arena = *model_.arena;
  if (const uintptr_t misfit = Misfit(model_.flatbuffer) | Misfit(arena.memory); misfit != 0) {
    return Failure(TK_ERR_ALIGNMENT, misfit);
  }
  const tflite::Model* graph = tflite::GetModel(model_.flatbuffer);
  if (graph->version() != TFLITE_SCHEMA_VERSION) {
    return Failure(TK_ERR_SCHEMA, graph->version());
  }
  tflite::MicroOpResolver* resolver = nullptr;
  if (const int failed = model_.register_operators(&resolver); failed >= 0) {
    return Failure(TK_ERR_OPERATOR, static_cast<size_t>(failed));
  }
  tflite::MicroAllocator* allocator = SharedAllocator(arena);
  if (allocator == nullptr) {
    return Failure(TK_ERR_ARENA, arena.size_bytes);
  }
  cycles_.Use(model_.operators, model_.operator_count);
  interpreter_ = new (storage_) tflite::MicroInterpreter(graph, *resolver, allocator,
                                                         ResourceVariables(model_), &cycles_);
  if (interpreter_->AllocateTensors() != kTfLiteOk) {
    return Failure(TK_ERR_ARENA, arena.size_bytes);
  }
  return CheckTensors();
}

tk_status_t TflmEngine::CheckTensors() {
  if (interpreter_->inputs_size() != model_.input_count ||
      interpreter_->outputs_size() != model_.output_count) {
    return Failure(TK_ERR_TENSOR, model_.input_count + model_.output_count);
  }
  for (size_t i = 0; i < model_.input_count; i++) {
    if (Differs(interpreter_->input(i), model_.inputs[i])) {
      return Failure(TK_ERR_TENSOR, i);
    }
  }
  for (size_t i = 0; i < model_.output_count; i++) {
    if (Differs(interpreter_->output(i), model_.outputs[i])) {
      return Failure(TK_ERR_TENSOR, model_.input_count + i);
    }
  }
  return kOk;
}

tk_status_t TflmEngine::Init(void* self) {
  auto* engine = static_cast<TflmEngine*>(self);
  const tk_status_t status = engine->Create();
  engine->failed_ = status.code != TK_OK;
  return status;
}

tk_status_t TflmEngine::Invoke(void* self, bool profile) {
  auto* engine = static_cast<TflmEngine*>(self);
  if (engine->failed_ || engine->interpreter_ == nullptr) {
    return Failure(TK_ERR_INVOKE, 0);
  }
  if (profile) {
    engine->cycles_.Start();
  }
  const TfLiteStatus status = engine->interpreter_->Invoke();
  engine->cycles_.Stop();
  engine->failed_ = status != kTfLiteOk;
  return engine->failed_ ? Failure(TK_ERR_INVOKE, static_cast<size_t>(status)) : kOk;
}

tk_tensor_t TflmEngine::Input(void* self, size_t index) {
  auto* engine = static_cast<TflmEngine*>(self);
  tk_tensor_t tensor = engine->model_.inputs[index];
  tensor.data = engine->interpreter_->input(index)->data.data;
  return tensor;
}

tk_tensor_t TflmEngine::Output(void* self, size_t index) {
  auto* engine = static_cast<TflmEngine*>(self);
  tk_tensor_t tensor = engine->model_.outputs[index];
  tensor.data = engine->interpreter_->output(index)->data.data;
  return tensor;
}

tk_operator_t TflmEngine::OperatorAt(void* self, size_t index) {
  return static_cast<TflmEngine*>(self)->model_.operators[index];
}

tk_arena_t TflmEngine::Arena(void* self) {
  auto* engine = static_cast<TflmEngine*>(self);
  const TflmArena& arena = *engine->model_.arena;
  tk_arena_t answer = {};
  answer.used_bytes = static_cast<uint32_t>(engine->interpreter_->arena_used_bytes());
  answer.needed_bytes = arena.needed_bytes;
  answer.size_bytes = static_cast<uint32_t>(arena.size_bytes);
  return answer;
}

}  // namespace tinykit
