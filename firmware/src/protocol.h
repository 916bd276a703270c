// SPDX-License-Identifier: Apache-2.0
/* The line protocol of MLPerf Tiny: commands end with '%', answers with the line m-ready. */
#ifndef TINYKIT_SRC_PROTOCOL_H_
#define TINYKIT_SRC_PROTOCOL_H_

/* Takes one byte from the host; answers when it completes a command. */
void tk_protocol_take(char c);

#endif  // TINYKIT_SRC_PROTOCOL_H_
