# SPDX-License-Identifier: Apache-2.0
"""A graph with its operators' tensors looked up once, so that no check meets a bad index.

Operators with too few inputs, or with a tensor index out of range, are set apart: they get one
finding and no other check sees them.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tinykit.model.checks.finding import Finding
from tinykit.model.operators import support
from tinykit.units import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tinykit.model.graph import Graph, Operator, Subgraph, Tensor
    from tinykit.model.operators import OperatorSupport


@dataclass(frozen=True, slots=True)
class Node:
    """A well-formed operator and its tensors.

    Attributes:
        row: what TFLM offers for it, None where it has no such operator.
        inputs: None for an absent optional input; as many as the operator's input indices.
        outputs: each of them present.
    """

    subgraph: Subgraph
    operator: Operator
    row: OperatorSupport | None
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]

    @property
    def name(self) -> str:
        """The operator's name in TFLM's table, "" where TFLM does not have it."""
        return self.row.name if self.row is not None else ""

    @property
    def label(self) -> str:
        """The operator's name, the custom code of a custom one."""
        return self.operator.label or "CUSTOM"

    @property
    def place(self) -> str:
        """E.g. `CONV_2D (operator 3)`, with the subgraph where it is not the main one."""
        inner = f" of subgraph {self.subgraph.index}" if self.subgraph.index else ""
        return f"{self.label} (operator {self.operator.index}{inner})"

    @property
    def data(self) -> Tensor | None:
        """The activations that it reads, None where it reads none."""
        position = self.row.data if self.row is not None else 0
        return self.input(position)

    def input(self, position: int) -> Tensor | None:
        """Return the input at `position`, None where it is absent."""
        return self.inputs[position] if position < len(self.inputs) else None

    def option(self, name: str) -> int | None:
        """Return an integer option, None where the file has none of that name."""
        value = self.operator.options.get(name)
        return value if isinstance(value, int) else None


class View:
    """What the checks look at.

    Args:
        graph: any graph; its indices are not trusted.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.malformed: list[Finding] = []
        self.nodes: list[Node] = []
        for subgraph in graph.subgraphs:
            for operator in subgraph.operators:
                self._add(subgraph, operator)

    def _add(self, subgraph: Subgraph, operator: Operator) -> None:
        row = support(operator)
        fault = _fault(subgraph, operator, row)
        if fault:
            message = f"{operator.label} (operator {operator.index}) {fault}."
            self.malformed.append(
                Finding(
                    "malformed-operator",
                    "error",
                    subgraph.index,
                    operator.index,
                    None,
                    message,
                    source="tensorflow/tflite-micro#3074",
                )
            )
            return
        tensors = subgraph.tensors
        inputs = tuple([tensors[i] if i >= 0 else None for i in operator.inputs])
        outputs = tuple([tensors[i] for i in operator.outputs])
        self.nodes.append(Node(subgraph, operator, row, inputs, outputs))

    @cached_property
    def named(self) -> Mapping[str, Sequence[Node]]:
        """The well-formed operators that TFLM has, by name."""
        named: dict[str, list[Node]] = defaultdict(list)
        for node in self.nodes:
            named[node.name].append(node)
        return named

    def all_named(self, *names: str) -> list[Node]:
        """Return the well-formed operators of these names, in the order of the names."""
        return [node for name in names for node in self.named.get(name, ())]


def _fault(subgraph: Subgraph, operator: Operator, row: OperatorSupport | None) -> str:
    """Return what is malformed about the operator, "" where nothing is."""
    total = len(subgraph.tensors)
    inputs, outputs = operator.inputs, operator.outputs
    if inputs and not -1 <= min(inputs) <= max(inputs) < total:
        return f"reads a tensor index outside the subgraph's {count(total)} tensors"
    if outputs and not 0 <= min(outputs) <= max(outputs) < total:
        return f"writes a tensor index outside the subgraph's {count(total)} tensors"
    if row is None:
        return ""
    for what, found, least in (
        ("inputs", len(inputs), row.inputs[0]),
        ("outputs", len(outputs), row.outputs[0]),
    ):
        if found < least:
            return f"has {found} {what} and needs {least}"
    for position, index in enumerate(inputs):
        if index < 0 and position not in row.optional:
            return f"has no tensor at input {position}, which is not optional"
    return ""


def first_and_count(nodes: Sequence[Node]) -> str:
    """Return e.g. `CONV_2D (operator 0 and 4 more)`, to go before a verb in the singular."""
    more = f" and {count(len(nodes) - 1)} more)" if len(nodes) > 1 else ")"
    return nodes[0].place.removesuffix(")") + more


def quoted(tensor: Tensor, limit: int = 60) -> str:
    """Return a tensor's index and name for a message, a long name cut at its start."""
    name = tensor.name if len(tensor.name) <= limit else "..." + tensor.name[-limit:]
    return f"tensor {tensor.index} {name!r}"
