// SPDX-License-Identifier: Apache-2.0
/* How deep the stack has ever been: painted at boot, read back later. */
#ifndef TINYKIT_SRC_STACK_H_
#define TINYKIT_SRC_STACK_H_

#include <stdbool.h>
#include <stdint.h>

/* Fills what lies below the caller's frame. */
void tk_stack_paint(void);

/* False where the port cannot know its stack. */
bool tk_stack_read(uint32_t *size_bytes, uint32_t *used_bytes);

#endif  // TINYKIT_SRC_STACK_H_
