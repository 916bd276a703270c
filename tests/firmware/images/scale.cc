// SPDX-License-Identifier: Apache-2.0
/*
 * An engine in C++: float arithmetic, a constructor that must have run, weights and an arena in
 * external RAM, and as much stack as the first input byte says, in units of 256 bytes.
 */
#include <cstring>

#include "tinykit/model.h"

namespace {

constexpr size_t kBytes = 8;

__attribute__((section(".extram.data"))) volatile float weights[kBytes] = {0.5f, 1.0f, 1.5f, 2.0f,
                                                                           2.5f, 3.0f, 3.5f, 4.0f};
__attribute__((section(".extram.noinit"), aligned(16))) volatile float products[kBytes];

class Scaler {
 public:
  Scaler() : bias_(weights[7] - 3.0f) {}
  virtual ~Scaler() = default;
  virtual float operator()(float value, size_t i) const { return value * weights[i] + bias_; }

 private:
  float bias_;
};

const Scaler scaler;
int8_t input[kBytes];
int8_t output[kBytes];

tk_status_t init(void *) { return {TK_OK, 0}; }

void use_stack(uint8_t blocks) {
  volatile uint8_t *const block = static_cast<uint8_t *>(__builtin_alloca(blocks * 256u + 8u));
  for (size_t i = 0; i < blocks * 256u; i++) {
    block[i] = 0;
  }
}

tk_status_t invoke(void *, bool) {
  use_stack(static_cast<uint8_t>(input[0]));
  for (size_t i = 0; i < kBytes; i++) {
    products[i] = scaler(input[i], i);
    output[i] = static_cast<int8_t>(products[i]);
  }
  return {TK_OK, 0};
}

tk_tensor_t tensor_of(int8_t *data) { return {data, kBytes, TK_TYPE_INT8, 1.0f, 0}; }

const tk_model_t model = {
    {"scale", "", "scale", "", "", ""},
    TK_ENCODING_RAW,
    nullptr,
    init,
    invoke,
    1,
    1,
    [](void *, size_t) { return tensor_of(input); },
    [](void *, size_t) { return tensor_of(output); },
    0,
    [](void *, size_t) { return tk_operator_t{"", 0}; },
    [](void *) { return tk_arena_t{0, 0, 0}; },
    nullptr,
    0,
};
const tk_model_t *const models[] = {&model};
uint8_t input_buffer[kBytes];

}  // namespace

const tk_image_t tk_image = {"tinykit", models, 1, input_buffer, sizeof input_buffer};
