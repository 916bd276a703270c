// SPDX-License-Identifier: Apache-2.0
/* What main and the port of the host share. */
#ifndef TINYKIT_PORTS_HOST_PORT_H_
#define TINYKIT_PORTS_HOST_PORT_H_

/* Serial is this file descriptor from now on, both ways. */
void tk_host_use_fd(int fd);

#endif  // TINYKIT_PORTS_HOST_PORT_H_
