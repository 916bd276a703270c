# SPDX-License-Identifier: Apache-2.0
"""Three public models as graphs without weights, for tests that run without the files."""

from __future__ import annotations

from itertools import pairwise

from tinykit.model.graph import (
    Graph,
    Operator,
    OptionValue,
    Quantization,
    Subgraph,
    Tensor,
    TensorType,
)

_ANY = memoryview(b"\0")  # the arena does not look at a constant's value


class _Chain:
    """Tensors and operators, each operator reading what the one before wrote."""

    def __init__(self, *shape: int) -> None:
        self.tensors: list[Tensor] = []
        self.operators: list[Operator] = []
        self.last = self.tensor("INT8", shape)

    def tensor(
        self, kind: TensorType, shape: tuple[int, ...], *, constant: bool = False, scales: int = 1
    ) -> int:
        """Add a tensor with `scales` scales, 0 for none."""
        quantization = Quantization((0.5,) * scales, (0,) * scales) if scales else None
        data = _ANY if constant else None
        index = len(self.tensors)
        self.tensors.append(Tensor(index, "", kind, shape, quantization=quantization, data=data))
        return index

    def weights(self, channels: int, *shape: int, per_channel: bool = True) -> tuple[int, int]:
        """Add a filter and a bias."""
        scales = channels if per_channel else 1
        filter_ = self.tensor("INT8", shape, constant=True, scales=scales)
        return filter_, self.tensor("INT32", (channels,), constant=True, scales=scales)

    def add(
        self, name: str, constants: tuple[int, ...], *shape: int, **options: OptionValue
    ) -> None:
        """Add an operator that writes a tensor of `shape`."""
        output = self.tensor("INT8", shape)
        index = len(self.operators)
        inputs = (self.last, *constants)
        self.operators.append(Operator(index, name, inputs, (output,), options=options))
        self.last = output

    def graph(self) -> Graph:
        """Return the model."""
        ends = (0,), (self.last,)
        return Graph(
            (Subgraph(0, "", tuple(self.tensors), tuple(self.operators), *ends),), 3, "", 0
        )


def dense(*widths: int) -> Graph:
    """Return fully connected layers from width to width, quantized per tensor."""
    chain = _Chain(1, widths[0])
    for before, after in pairwise(widths):
        weights = chain.weights(after, after, before, per_channel=False)
        chain.add("FULLY_CONNECTED", weights, 1, after)
    return chain.graph()


def hello_world() -> Graph:
    """TFLM's sine example."""
    return dense(1, 16, 16, 1)


def ad01() -> Graph:
    """MLPerf Tiny's anomaly detection autoencoder."""
    return dense(640, 128, 128, 128, 128, 8, 128, 128, 128, 128, 640)


def kws() -> Graph:
    """MLPerf Tiny's keyword spotting model, a DS-CNN."""
    chain = _Chain(1, 49, 10, 1)
    chain.add("CONV_2D", chain.weights(64, 64, 10, 4, 1), 1, 25, 5, 64, stride_h=2, stride_w=2)
    for _ in range(4):
        chain.add("DEPTHWISE_CONV_2D", chain.weights(64, 1, 3, 3, 64), 1, 25, 5, 64)
        chain.add("CONV_2D", chain.weights(64, 64, 1, 1, 64), 1, 25, 5, 64)
    chain.add("AVERAGE_POOL_2D", (), 1, 1, 1, 64)
    chain.add("RESHAPE", (chain.tensor("INT32", (2,), constant=True, scales=0),), 1, 64)
    chain.add("FULLY_CONNECTED", chain.weights(12, 12, 64, per_channel=False), 1, 12)
    chain.add("SOFTMAX", (), 1, 12)
    return chain.graph()
