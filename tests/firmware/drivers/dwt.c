// SPDX-License-Identifier: Apache-2.0
/* Prints whether the counter starts on the core that mocks/registers/registers.h stands in for. */
#include "dwt.h"

#include <stdio.h>

#include "registers.h"

uint32_t fake_demcr, fake_ctrl = FAKE_ABSENT ? 1u << 25 : 0u, fake_lar, fake_cyccnt;

int main(void) {
  const bool started = tk_dwt_start();
  const uint32_t first = tk_dwt_cycles();
  printf("%d %d\n", started, tk_dwt_cycles() != first);
  return 0;
}
