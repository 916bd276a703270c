// SPDX-License-Identifier: Apache-2.0
/*
 * Runs the portable arithmetic on what stdin says, a line each:
 *   d FACTOR BITS      tk_put_decimal, BITS of the float in hex
 *   w LAST LOW         tk_wrap_extend
 *   t LOW MICROS HZ    tk_wrap_extend_by_time, on a state that is kept
 *   s VALUE            tk_put_signed
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "tinykit/port.h"
#include "tinykit/text.h"
#include "tinykit/wrap.h"

void tk_port_write(const char *text, size_t size_bytes) { fwrite(text, 1, size_bytes, stdout); }

int main(void) {
  char line[128];
  tk_wrap_t wrap = {0, 0};
  while (fgets(line, sizeof line, stdin) != NULL) {
    int32_t factor;
    uint32_t low;
    uint64_t last;
    uint32_t hz;
    int64_t value;
    if (sscanf(line, "d %" SCNd32 " %" SCNx32, &factor, &low) == 2) {
      float scale;
      memcpy(&scale, &low, sizeof scale);
      tk_put_decimal(factor, scale);
    } else if (sscanf(line, "w %" SCNu64 " %" SCNu32, &last, &low) == 2) {
      tk_put_unsigned(tk_wrap_extend(last, low));
    } else if (sscanf(line, "t %" SCNu32 " %" SCNu64 " %" SCNu32, &low, &last, &hz) == 3) {
      tk_put_unsigned(tk_wrap_extend_by_time(&wrap, low, last, hz));
    } else if (sscanf(line, "s %" SCNd64, &value) == 1) {
      tk_put_signed(value);
    }
    tk_end_line();
  }
  return 0;
}
