// SPDX-License-Identifier: Apache-2.0
/*
 * The public signatures of TFLM that generated projects use, declared and no more, so that their
 * sources can be compiled without TFLM. Held against the real headers wherever a tree is at hand.
 */
#ifndef TINYKIT_TESTS_MOCK_TFLM_H_
#define TINYKIT_TESTS_MOCK_TFLM_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>

#define TFLITE_SCHEMA_VERSION (3)

enum TfLiteStatus { kTfLiteOk = 0, kTfLiteError = 1 };

union TfLitePtrUnion {
  void* data;
};

struct TfLiteTensor {
  TfLitePtrUnion data;
  size_t bytes;
};

struct TFLMRegistration;

namespace flatbuffers {
template <typename T>
struct Vector {
  uint32_t size() const;
};
}  // namespace flatbuffers

namespace tflite {

struct Model {
  uint32_t version() const;
};
const Model* GetModel(const void* buffer);

class MicroOpResolver {
 public:
  virtual ~MicroOpResolver() {}
};

class MicroProfilerInterface {
 public:
  virtual ~MicroProfilerInterface() {}
  virtual uint32_t BeginEvent(const char* tag) = 0;
  virtual void EndEvent(uint32_t event) = 0;
};

class MicroAllocator {
 public:
  static MicroAllocator* Create(uint8_t* arena, size_t size);
};

class MicroResourceVariables {
 public:
  static MicroResourceVariables* Create(MicroAllocator* allocator, int count);
};

class MicroInterpreter {
 public:
  MicroInterpreter(const Model* model, const MicroOpResolver& resolver, MicroAllocator* allocator,
                   MicroResourceVariables* variables = nullptr,
                   MicroProfilerInterface* profiler = nullptr);
  TfLiteStatus AllocateTensors();
  TfLiteStatus Invoke();
  TfLiteTensor* input(size_t index);
  TfLiteTensor* output(size_t index);
  size_t inputs_size() const;
  size_t outputs_size() const;
  size_t arena_used_bytes() const;
};

#define TINYKIT_OPERATOR(NAME) TfLiteStatus NAME();
#define TINYKIT_KERNEL(NAME) \
  TfLiteStatus NAME();       \
  TfLiteStatus NAME(const TFLMRegistration& registration);

const TFLMRegistration& Register_ADD_INT8();
const TFLMRegistration& Register_AVERAGE_POOL_2D_INT8();
const TFLMRegistration& Register_CONV_2D_INT8();
const TFLMRegistration& Register_DEPTHWISE_CONV_2D_INT8();
const TFLMRegistration& Register_FULLY_CONNECTED_INT8();
const TFLMRegistration& Register_SOFTMAX_INT8();

template <unsigned int kCount>
class MicroMutableOpResolver : public MicroOpResolver {
 public:
  TINYKIT_KERNEL(AddAveragePool2D)
  TINYKIT_KERNEL(AddConv2D)
  TINYKIT_KERNEL(AddDepthwiseConv2D)
  TINYKIT_KERNEL(AddFullyConnected)
  TINYKIT_KERNEL(AddSoftmax)
  TINYKIT_OPERATOR(AddAssignVariable)
  TINYKIT_OPERATOR(AddCallOnce)
  TINYKIT_OPERATOR(AddConcatenation)
  TINYKIT_OPERATOR(AddLogistic)
  TINYKIT_OPERATOR(AddQuantize)
  TINYKIT_OPERATOR(AddReadVariable)
  TINYKIT_OPERATOR(AddReshape)
  TINYKIT_OPERATOR(AddSplitV)
  TINYKIT_OPERATOR(AddStridedSlice)
  TINYKIT_OPERATOR(AddVarHandle)
};

}  // namespace tflite

#endif  // TINYKIT_TESTS_MOCK_TFLM_H_
