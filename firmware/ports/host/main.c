// SPDX-License-Identifier: Apache-2.0
/*
 * firmware            serial on stdin and stdout
 * firmware --tcp N    serial on the first connection to 127.0.0.1:N (0: any free port, printed)
 * firmware --pty      serial on a pseudo-terminal, whose name is printed
 */
#define _GNU_SOURCE /* posix_openpt, cfmakeraw */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#include "port.h"
#include "tinykit/run.h"

static int fail(const char *what) {
  fprintf(stderr, "firmware: %s: %s\n", what, strerror(errno));
  exit(EXIT_FAILURE);
}

static int accept_tcp(const char *port_text) {
  char *rest;
  const long port = strtol(port_text, &rest, 10);
  if (*port_text == '\0' || *rest != '\0' || port < 0 || port > 65535) {
    errno = EINVAL;
    return fail(port_text);
  }
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
  socklen_t size = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 1) != 0 ||
      getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
    return fail("cannot listen");
  }
  printf("listening on 127.0.0.1:%u\n", (unsigned)ntohs(address.sin_port));
  fflush(stdout);
  const int fd = accept(listener, NULL, NULL);
  close(listener);
  return fd < 0 ? fail("accept") : fd;
}

static int open_pty(void) {
  struct termios raw;
  const int fd = posix_openpt(O_RDWR | O_NOCTTY);
  if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0) {
    return fail("cannot open a pseudo-terminal");
  }
  const char *name = ptsname(fd);
  /* Held open by us as well: without any opener, reading the other side fails with EIO. */
  const int held = name == NULL ? -1 : open(name, O_RDWR | O_NOCTTY);
  if (held < 0 || tcgetattr(held, &raw) != 0) {
    return fail("cannot open the terminal side");
  }
  cfmakeraw(&raw);
  if (tcsetattr(held, TCSANOW, &raw) != 0) {
    return fail("cannot set the terminal");
  }
  printf("serial is %s\n", name);
  fflush(stdout);
  return fd;
}

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN); /* a host that leaves is seen at the write */
  if (argc == 3 && strcmp(argv[1], "--tcp") == 0) {
    tk_host_use_fd(accept_tcp(argv[2]));
  } else if (argc == 2 && strcmp(argv[1], "--pty") == 0) {
    tk_host_use_fd(open_pty());
  } else if (argc != 1) {
    fprintf(stderr, "usage: %s [--tcp PORT | --pty]\n", argv[0]);
    return 2;
  }
  tk_run();
  return EXIT_SUCCESS;
}
