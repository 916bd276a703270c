# SPDX-License-Identifier: Apache-2.0
"""Operators that TFLM does not have: missing, custom, Flex, or made for the Ethos-U NPU."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from tinykit.model.checks import fixes
from tinykit.model.checks.finding import Finding
from tinykit.model.checks.view import first_and_count
from tinykit.model.operators import TFLM_COMMIT
from tinykit.units import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tinykit.model.checks.view import Node, View

ETHOS_U = "ethos-u"

_INSTEAD: Mapping[str, str] = {
    "DENSIFY": fixes.STRIP_PRUNING,
    "GELU": "x * tf.sigmoid(1.702 * x)  # GELU in operators that TFLM has, within 0.02",
    "REDUCE_PROD": "fixed = keras.Input(batch_shape=(1, ...))  # the real shape, batch 1\n"
    "model = keras.Model(fixed, model(fixed))",
    "SELECT": "tf.where(condition, x, y)  # TensorFlow 2 writes SELECT_V2",
    "TILE": "tf.concat([x] * times, axis=axis)",
    "TOPK_V2": "return logits  # and pick the best k in the firmware",
}
"""What to write instead; each of these takes the operator out of the model."""


def check(view: View) -> Iterator[Finding]:
    """Yield one finding per missing operator name, one for all Flex operators."""
    missing: dict[tuple[str, bool], list[Node]] = defaultdict(list)
    for node in view.nodes:
        if node.row is None:
            missing[node.label, node.operator.name == "CUSTOM"].append(node)
        elif node.row.name == ETHOS_U:
            missing[ETHOS_U, True].append(node)
    flex = [n for (name, custom), ns in missing.items() if custom and _is_flex(name) for n in ns]
    if flex:
        yield _flex(flex)
    for (name, custom), nodes in missing.items():
        if name == ETHOS_U and custom:
            yield _ethos_u(nodes)
        elif custom and not _is_flex(name):
            yield _custom(name, nodes)
        elif not custom:
            yield _missing(name, nodes)


def _is_flex(name: str) -> bool:
    return name.startswith("Flex")


def _at(nodes: Sequence[Node]) -> tuple[int, int, None]:
    return nodes[0].subgraph.index, nodes[0].operator.index, None


def _flex(nodes: Sequence[Node]) -> Finding:
    names = Counter(n.label for n in nodes)
    listed = ", ".join(f"{name} x{times}" for name, times in sorted(names.items())[:8])
    lists = any("TensorList" in name for name in names)
    inputs = [n for n in nodes[0].subgraph.inputs if 0 <= n < len(nodes[0].subgraph.tensors)]
    batch = fixes.fixed_batch([nodes[0].subgraph.tensors[n] for n in inputs])
    return Finding(
        "flex-operator",
        "error",
        *_at(nodes),
        f"{count(len(nodes))} operators need full TensorFlow, which no microcontroller runs: "
        f"{listed}{', ...' if len(names) > 8 else ''}"
        + (" (an RNN converted with an open batch size)." if lists else "."),
        batch if lists and inputs else fixes.BUILTINS_ONLY,
        "tensorflow/tflite-micro#2006",
    )


def _custom(name: str, nodes: Sequence[Node]) -> Finding:
    known = name != "CUSTOM"
    return Finding(
        "custom-operator",
        "error",
        *_at(nodes),
        f"{first_and_count(nodes)} is a custom operator "
        + ("of that name" if known else "without a name")
        + ", and TFLM has no kernel for it.",
        f'resolver.AddCustom("{name}", Register_{name.upper()}());  // your own kernel'
        if name.isidentifier() and known
        else "",
        "tensorflow/tensorflow#44424",
    )


def _missing(name: str, nodes: Sequence[Node]) -> Finding:
    return Finding(
        "missing-operator",
        "error",
        *_at(nodes),
        f"{first_and_count(nodes)} is not in TFLM at commit {TFLM_COMMIT}.",
        _INSTEAD.get(name, ""),
        "tensorflow/tflite-micro#491" if name == "DENSIFY" else "tensorflow/tflite-micro#1157",
    )


def _ethos_u(nodes: Sequence[Node]) -> Finding:
    return Finding(
        "ethos-u",
        "error",
        *_at(nodes),
        f"{first_and_count(nodes)} was compiled by Vela for an Ethos-U NPU and runs on no board "
        "without one.",
        "",
        "HimaxWiseEyePlus/Seeed_Grove_Vision_AI_Module_V2#49",
        "boards-without-ethos-u",
    )
