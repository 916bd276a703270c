// SPDX-License-Identifier: Apache-2.0
/* The 32-bit cycle counter that most Cortex-M cores have in their debug block. */
#ifndef TINYKIT_PORTS_CORTEX_M_DWT_H_
#define TINYKIT_PORTS_CORTEX_M_DWT_H_

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the counter. False where this core has none or where it does not move. */
bool tk_dwt_start(void);

/* Core cycles, modulo 2^32. */
uint32_t tk_dwt_cycles(void);

#ifdef __cplusplus
}
#endif

#endif  // TINYKIT_PORTS_CORTEX_M_DWT_H_
