# SPDX-License-Identifier: Apache-2.0
"""What a model file says, what it computes and what will go wrong with it."""
