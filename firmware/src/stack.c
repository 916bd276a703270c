// SPDX-License-Identifier: Apache-2.0
#include "stack.h"

#include <stddef.h>

#include "tinykit/port.h"

/* No code, address or small number looks like this word. */
static const uint32_t kPaint = 0x5AFEC0DEu;

/*
 * Bytes below this frame that stay unpainted: an interrupt may push there while we paint (a
 * Cortex-M with its FPU pushes 104).
 */
enum { MARGIN_BYTES = 256 };

__attribute__((noinline)) void tk_stack_paint(void) {
  uintptr_t lowest;
  uintptr_t end;
  if (!tk_port_stack_bounds(&lowest, &end)) {
    return;
  }
  const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (here < lowest + MARGIN_BYTES || here > end) {
    return; /* the port's bounds are not those of this stack: nothing there is ours to write */
  }
  /* volatile: as a memset the loop would get a stack frame in the middle of what it fills */
  volatile uint32_t *word = (volatile uint32_t *)((lowest + 3u) & ~(uintptr_t)3u);
  for (; (uintptr_t)word < here - MARGIN_BYTES; word++) {
    *word = kPaint;
  }
}

bool tk_stack_read(uint32_t *size_bytes, uint32_t *used_bytes) {
  uintptr_t lowest;
  uintptr_t end;
  if (!tk_port_stack_bounds(&lowest, &end)) {
    return false;
  }
  const volatile uint32_t *word = (const volatile uint32_t *)((lowest + 3u) & ~(uintptr_t)3u);
  while ((uintptr_t)word < end && *word == kPaint) {
    word++;
  }
  *size_bytes = (uint32_t)(end - lowest);
  *used_bytes = (uint32_t)(end - (uintptr_t)word);
  return true;
}
