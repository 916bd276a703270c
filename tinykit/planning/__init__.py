# SPDX-License-Identifier: Apache-2.0
"""Where each tensor lives: buffers, lifetimes and the planners."""
