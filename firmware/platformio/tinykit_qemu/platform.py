# SPDX-License-Identifier: Apache-2.0
"""PlatformIO's view of the platform; the work is in builder/."""

from platformio.public import PlatformBase


class Tinykit_qemuPlatform(PlatformBase):  # noqa: N801  # PlatformIO derives the name
    """Cortex-M machines in QEMU."""

    def is_embedded(self):
        """Say that programs run on a target: no uploader package tells PlatformIO so."""
        return True
