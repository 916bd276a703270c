// SPDX-License-Identifier: Apache-2.0
/*
 * Performance or energy: two builds, as MLPerf Tiny has it. In the first, timestamps are text; in
 * the second they are edges on a pin, and the board says nothing while energy is measured.
 */
#ifndef TINYKIT_MODE_H_
#define TINYKIT_MODE_H_

#ifndef TK_ENERGY_MODE
#define TK_ENERGY_MODE 0
#endif

#if TK_ENERGY_MODE != 0 && TK_ENERGY_MODE != 1
#error "TK_ENERGY_MODE is 0 (performance build) or 1 (energy build)"
#endif

#endif  // TINYKIT_MODE_H_
