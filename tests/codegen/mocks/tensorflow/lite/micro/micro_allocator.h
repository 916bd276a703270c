// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/lite/micro/mock_tflm.h"
