# SPDX-License-Identifier: Apache-2.0
"""Starts and stops the QEMU machine of a build directory."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

DEFAULT_PORT = "socket://127.0.0.1:5555"
STOP_TIMEOUT_S = 5.0
_PORT = re.compile(r"(?:socket|tcp)://(?P<host>[^:/]+):(?P<port>[0-9]{1,5})/?")


def _command(env):
    """Return the part of the command line that every way of running shares."""
    command = ["qemu-system-arm", "-M", env.BoardConfig().get("upload.qemu_machine")]
    command += ["-display", "none", "-monitor", "none", "-net", "none"]
    # One instruction lasts 2^N ns of virtual time: with it, equal work takes equal time.
    icount = env.GetProjectOption("custom_icount", "shift=6")
    if icount:
        command += ["-icount", icount]
    command += ["-semihosting-config", "enable=on,target=native"]
    return command + shlex.split(env.GetProjectOption("custom_qemu_args", ""))


def _present(env):
    if shutil.which("qemu-system-arm"):
        return True
    sys.stderr.write("Error: qemu-system-arm is not on PATH (apt install qemu-system-arm)\n")
    return False


def _socket(env):
    """Return host and port of `upload_port`, or None after saying what is wrong with it."""
    port = env.subst("$UPLOAD_PORT") or DEFAULT_PORT
    match = _PORT.fullmatch(port)
    if match is None or int(match["port"]) > 65535:
        sys.stderr.write(f"Error: upload_port = {port} is not socket://HOST:PORT\n")
        return None
    return match["host"], match["port"]


def _is_qemu(pid):
    """Whether `pid` runs QEMU: the number in an old file may be another program's by now."""
    listed = subprocess.run(
        ["ps", "-p", str(pid), "-o", "args="], capture_output=True, text=True, check=False
    )
    return "qemu-system-arm" in listed.stdout


def stop(env):
    """Stop the machine that an earlier upload of this build directory started, if it still runs."""
    pid_file = Path(env.subst("$BUILD_DIR"), "qemu.pid")
    try:
        pid = int(pid_file.read_text())
    except (OSError, ValueError):
        return
    if _is_qemu(pid):
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while _is_qemu(pid) and time.monotonic() < deadline:
            time.sleep(0.02)
    pid_file.unlink(missing_ok=True)


def upload(target, source, env):
    """Start the machine in the background, its serial line on TCP and in serial.log."""
    stop(env)
    address = _socket(env)
    if address is None or not _present(env):
        return 1
    build = env.subst("$BUILD_DIR")
    host, port = address
    # nodelay: otherwise each line waits 40 ms for the acknowledgement of the one before.
    serial = f"socket,id=serial,host={host},port={port},server=on,wait=off,nodelay=on"
    serial += f",logfile={build}/serial.log"
    command = [*_command(env), "-chardev", serial, "-serial", "chardev:serial"]
    command += ["-daemonize", "-pidfile", f"{build}/qemu.pid", "-kernel", str(source[0])]
    sys.stdout.write(shlex.join(command) + "\n")
    return subprocess.call(command, stdin=subprocess.DEVNULL)


def execute(target, source, env):
    """Run the machine in the foreground, its serial line on this terminal."""
    if not _present(env):
        return 1
    return subprocess.call([*_command(env), "-serial", "stdio", "-kernel", str(source[0])])
