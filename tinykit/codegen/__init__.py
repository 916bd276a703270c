# SPDX-License-Identifier: Apache-2.0
"""From a fit to a firmware project, as a mapping of paths to bytes; nothing here writes a file."""
