// SPDX-License-Identifier: Apache-2.0
#include "infer.h"

#include "state.h"
#include "tensors.h"
#include "tinykit/mode.h"
#include "tinykit/run.h"
#include "tinykit/text.h"

bool tk_load_inputs(void) {
  const tk_model_t *model = tk_chosen_model();
  const size_t needed = tk_input_bytes(model, model->encoding);
  if (tk_state.loaded_bytes == 0) {
    tk_clear_inputs(model);
    return true;
  }
  if (tk_state.loaded_bytes != needed) {
    tk_put("e-[Loaded ");
    tk_put_unsigned(tk_state.loaded_bytes);
    tk_put(" bytes, the model takes ");
    tk_put_unsigned(needed);
    tk_put_line("]");
    return false;
  }
  tk_write_inputs(model, model->encoding, tk_image.input_buffer);
  return true;
}

void tk_invoke(bool profile) {
  const tk_model_t *model = tk_chosen_model();
  const tk_status_t status = model->invoke(model->self, profile);
  if (status.code != TK_OK) {
    tk_stop(status, (int)tk_state.model);
  }
}

static void put_lap(uint64_t at_us) {
  tk_put("m-lap-us-");
  tk_put_unsigned(at_us);
  tk_end_line();
}

void tk_timestamp(void) {
  if (TK_ENERGY_MODE) {
    tk_port_timestamp();
  } else {
    put_lap(tk_port_micros());
    tk_port_flush();
  }
}

static void put_count(const char *key, uint32_t count) {
  tk_put(key);
  tk_put_unsigned(count);
  tk_end_line();
}

static uint64_t invoke_many(uint32_t iterations) {
  tk_port_align();
  const uint64_t start = tk_port_cycles();
  for (uint32_t i = 0; i < iterations; i++) {
    tk_invoke(false);
  }
  return tk_port_cycles() - start;
}

/*
 * Both times are printed after the window. The host reads the same two lines in the same order, but
 * at 115200 baud the first of them would add 2 ms to what it reports.
 */
static uint64_t run_window(uint32_t iterations) {
  if (TK_ENERGY_MODE) {
    tk_port_timestamp();
    const uint64_t cycles = invoke_many(iterations);
    tk_port_timestamp();
    return cycles;
  }
  const uint64_t start_us = tk_port_micros();
  const uint64_t cycles = invoke_many(iterations);
  const uint64_t end_us = tk_port_micros();
  put_lap(start_us);
  put_lap(end_us);
  return cycles;
}

void tk_infer(uint32_t iterations, uint32_t warmups) {
  put_count("m-warmup-start-", warmups);
  for (uint32_t i = 0; i < warmups; i++) {
    tk_invoke(false);
  }
  tk_put_line("m-warmup-done");
  put_count("m-infer-start-", iterations);
  if (warmups > 0) {
    tk_load_inputs(); /* planners reuse the memory of an input once it was read */
  }
  tk_port_flush(); /* no byte may still be on its way while energy is measured */

  const uint64_t cycles = run_window(iterations);
  tk_state.window = (tk_window_t){.iterations = iterations, .cycles = cycles};
  tk_put_line("m-infer-done");
  if (iterations > 1) {
    /* What the last inference left was computed from an input that the ones before it overwrote. */
    tk_load_inputs();
    tk_invoke(false);
  }
  tk_put_results(tk_chosen_model());
}
