// SPDX-License-Identifier: Apache-2.0
// The operators of this image and no others. Made by tinykit 0.1.0.
#ifndef OP_RESOLVER_H_
#define OP_RESOLVER_H_

#include "tensorflow/lite/micro/micro_mutable_op_resolver.h"

constexpr unsigned int kOperators = 5;

using OpResolver = tflite::MicroMutableOpResolver<kOperators>;

// Registers every operator. Returns -1, or the position below of the one that was refused.
inline int RegisterOperators(OpResolver& resolver) {
  if (resolver.AddAveragePool2D() != kTfLiteOk) return 0;
  if (resolver.AddConv2D() != kTfLiteOk) return 1;
  if (resolver.AddDepthwiseConv2D() != kTfLiteOk) return 2;
  if (resolver.AddFullyConnected() != kTfLiteOk) return 3;
  if (resolver.AddSoftmax() != kTfLiteOk) return 4;
  return -1;
}

#endif  // OP_RESOLVER_H_
