// SPDX-License-Identifier: Apache-2.0
// The operators of this image and no others. Made by tinykit 0.1.0.
#ifndef OP_RESOLVER_H_
#define OP_RESOLVER_H_

#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

constexpr unsigned int kOperators = 12;

using OpResolver = tflite::MicroMutableOpResolver<kOperators>;

// Registers every operator. Returns -1, or the position below of the one that was refused.
inline int RegisterOperators(OpResolver& resolver) {
  if (resolver.AddAssignVariable() != kTfLiteOk) return 0;
  if (resolver.AddCallOnce() != kTfLiteOk) return 1;
  if (resolver.AddConcatenation() != kTfLiteOk) return 2;
  if (resolver.AddConv2D(tflite::Register_CONV_2D_INT8()) != kTfLiteOk) return 3;
  if (resolver.AddDepthwiseConv2D(tflite::Register_DEPTHWISE_CONV_2D_INT8()) != kTfLiteOk) return 4;
  if (resolver.AddFullyConnected(tflite::Register_FULLY_CONNECTED_INT8()) != kTfLiteOk) return 5;
  if (resolver.AddLogistic() != kTfLiteOk) return 6;
  if (resolver.AddQuantize() != kTfLiteOk) return 7;
  if (resolver.AddReadVariable() != kTfLiteOk) return 8;
  if (resolver.AddReshape() != kTfLiteOk) return 9;
  if (resolver.AddStridedSlice() != kTfLiteOk) return 10;
  if (resolver.AddVarHandle() != kTfLiteOk) return 11;
  return -1;
}

#endif  // OP_RESOLVER_H_
