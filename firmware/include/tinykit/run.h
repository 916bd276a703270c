// SPDX-License-Identifier: Apache-2.0
/* What a port's entry point (main, setup and loop, app_main) calls. */
#ifndef TINYKIT_RUN_H_
#define TINYKIT_RUN_H_

#include "tinykit/model.h"
#include "tinykit/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Boots, then serves the host. Returns only where the port can say TK_PORT_CLOSED. */
void tk_run(void);

/*
 * Says on serial why this image stops, again each second until the host answers with any byte, so
 * that a host which connects late still reads it; then halts. `model` is an index in tk_image, or
 * negative where no model is to blame.
 *
 * The line: e-[tk-fault CODE model M detail D: TEXT]
 */
TK_NORETURN void tk_stop(tk_status_t status, int model);

/* What a stop code means, in a few words. */
const char *tk_status_text(tk_code_t code);

#ifdef __cplusplus
}
#endif

#endif  // TINYKIT_RUN_H_
