// SPDX-License-Identifier: Apache-2.0
#include "tinykit/run.h"

#include "infer.h"
#include "protocol.h"
#include "stack.h"
#include "state.h"
#include "tinykit/mode.h"
#include "tinykit/text.h"

enum { ANNOUNCE_US = 1000000, COUNTER_TRIES = 100000 };

tk_state_t tk_state;

static void check_counter(void) {
  const uint64_t start = tk_port_cycles();
  for (int i = 0; i < COUNTER_TRIES; i++) {
    if (tk_port_cycles() != start) {
      return;
    }
  }
  tk_stop((tk_status_t){.code = TK_ERR_CLOCK}, -1);
}

static void init_models(void) {
  if (tk_image.model_count == 0 || tk_image.input_buffer == NULL) {
    tk_stop((tk_status_t){.code = TK_ERR_IMAGE, .detail = tk_image.model_count == 0 ? 0 : 1}, -1);
  }
  for (size_t i = 0; i < tk_image.model_count; i++) {
    const tk_model_t *model = tk_image.models[i];
    const tk_status_t status = model->init(model->self);
    if (status.code != TK_OK) {
      tk_stop(status, (int)i);
    }
  }
}

static void announce(void) {
  tk_put_line(TK_ENERGY_MODE ? "m-timestamp-mode-energy" : "m-timestamp-mode-performance");
  tk_timestamp();
  tk_put_line("m-init-done");
  tk_put_line("m-ready");
  tk_port_flush();
}

/*
 * Once a second until the host speaks, so that one which connects late sees that the board lives.
 * Not m-ready: the public runners pair each command with the next m-ready they read, and one too
 * many would shift every answer by a command. Any line without it they skip. An energy build stays
 * silent: its host powers the board and so is there first, and the IO manager between them garbles
 * what the board says unasked.
 */
static void announce_again(uint64_t *said_us) {
  const uint64_t now_us = tk_port_micros();
  if (!TK_ENERGY_MODE && now_us - *said_us >= ANNOUNCE_US) {
    *said_us = now_us;
    tk_put_key("waiting", tk_port_name());
    tk_port_flush();
  }
}

static void serve(void) {
  bool host_spoke = false;
  uint64_t said_us = tk_port_micros();
  for (;;) {
    const int c = tk_port_getc();
    if (c == TK_PORT_CLOSED) {
      return;
    }
    if (c == TK_PORT_NONE) {
      if (!host_spoke) {
        announce_again(&said_us);
      }
      tk_port_idle();
    } else {
      host_spoke = true;
      tk_protocol_take((char)c);
    }
  }
}

void tk_run(void) {
  tk_port_init();
  tk_stack_paint();
  check_counter();
  init_models();
  announce();
  serve();
}
