# SPDX-License-Identifier: Apache-2.0
"""The report of `tinykit fit` for a person: verdict, memory, peak and what to change."""

from __future__ import annotations

from collections.abc import Sequence

from tinykit.board import Board
from tinykit.estimate.advice import peak, shrink
from tinykit.estimate.fit import Fit, FlashFit, RamFit
from tinykit.model.graph import Graph, Tensor
from tinykit.planning.buffers import Buffer
from tinykit.report.document import Bar, Block, Document, Fact, Facts, Heading, Note, Table, Tone
from tinykit.report.findings import finding_blocks
from tinykit.sanitise import printable
from tinykit.tflm import COMMIT
from tinykit.tflm.arena import Arena
from tinykit.units import capacity, count, si, size

_VERDICTS: dict[str, tuple[str, Tone]] = {
    "fits": ("FITS", "good"),
    "does-not-fit": ("DOES NOT FIT", "bad"),
    "cannot-run": ("CANNOT RUN on TensorFlow Lite Micro", "bad"),
}
_TENSORS_SHOWN = 4


def fit_document(name: str, result: Fit, others: Sequence[Fit] = ()) -> Document:
    """Return the report of one fit.

    Args:
        name: of the model file.
        others: fits of the same model on other boards, offered where this board is too small.
    """
    words, tone = _VERDICTS[result.verdict]
    board = result.board
    findings = finding_blocks(result.findings)
    memory = _memory(result)
    if result.arena is not None:
        memory += [*_arena(result.arena), *_peak(result.graph, result.arena)]
    if result.verdict == "cannot-run":
        blocks = [*findings, *memory]  # the why comes before the figures
    elif result.verdict == "does-not-fit":
        blocks = [*memory, *_changes(result, others), *findings]
    else:
        blocks = [*memory, *findings]
    blocks += _basis(result)
    verdict = f"{printable(name)} on {board.id}: {words}"
    return Document(verdict, tone, tuple(blocks))


def _memory(result: Fit) -> list[Block]:
    blocks: list[Block] = [Heading(_board_line(result.board))]
    if result.ram is not None and result.arena is not None:
        blocks += _ram(result.ram, result.arena)
    return blocks + _flash(result.flash)


def _ram(ram: RamFit, needs: Arena) -> list[Block]:
    facts = [
        Fact("arena", size(ram.arena_bytes), needs.status, "give this, alignas(16)"),
        Fact("static", size(ram.static_bytes), "estimated", ".data and .bss besides the arena"),
        Fact("stack", size(ram.stack_bytes), "declared", "--stack"),
    ]
    if ram.reserved_bytes:
        facts.append(Fact("reserved", size(ram.reserved_bytes), "declared", "--reserve-ram"))
    parts = (ram.arena_bytes, ram.static_bytes, ram.stack_bytes, ram.reserved_bytes)
    named = tuple((f.label, part) for f, part in zip(facts, parts, strict=False))
    return [Bar("RAM", named, ram.bank.size_bytes, f"in {ram.bank.label}"), Facts(tuple(facts))]


def _flash(flash: FlashFit) -> list[Block]:
    runtime = flash.runtime
    band = f"{size(runtime.low_bytes)} to {size(runtime.high_bytes)}"
    facts = [
        Fact("model", size(flash.model_bytes), "exact", "the file"),
        Fact("runtime", size(runtime.runtime_bytes), runtime.status, band),
        Fact("firmware", size(flash.firmware_bytes), "estimated", "what tinykit generate writes"),
    ]
    if flash.reserved_bytes:
        facts.append(Fact("reserved", size(flash.reserved_bytes), "declared", "--reserve-flash"))
    parts = (flash.model_bytes, runtime.runtime_bytes, flash.firmware_bytes, flash.reserved_bytes)
    named = tuple((f.label, part) for f, part in zip(facts, parts, strict=False))
    return [Bar("Flash", named, flash.limit_bytes), Facts(tuple(facts))]


def _board_line(board: Board) -> str:
    clock = si(board.f_max_hz, "Hz")
    checked = "" if board.checked else "; from the PlatformIO catalogue: one bank, not checked"
    return f"{board.name}: {board.mcu}, {board.core} at {clock}{checked}"


def _arena(needs: Arena) -> list[Block]:
    rows = (
        Fact(
            "needed", size(needs.needed), needs.status, f"smallest that works: {needs.needed_for}"
        ),
        Fact("used", size(needs.used), needs.status, "what arena_used_bytes() will report"),
        Fact(
            "head", size(needs.head), "", f"planned tensors; lower bound {size(needs.lower_bound)}"
        ),
        Fact("tail", size(needs.tail), "", "lives as long as the model"),
        Fact(
            "scratch",
            size(needs.scratch),
            "",
            "asked for by all kernels in sum; planned in the head",
        ),
    )
    doubts = [Note(f"not exact: {printable(d)}", "warn") for d in needs.doubts[:3]]
    more = len(needs.doubts) - len(doubts)
    if more > 0:
        doubts.append(Note(f"and {more} more operators", "warn"))
    return [Heading("Arena"), Facts(rows), *doubts]


def _peak(graph: Graph, needs: Arena) -> list[Block]:
    top = peak(needs)
    if top is None:
        return []
    label = graph.subgraphs[top.subgraph].operators[top.operator].label
    where = f"operator {top.operator}" + (f" of subgraph {top.subgraph}" if top.subgraph else "")
    head = f"Peak: {where} {printable(label)}, {size(top.live_bytes)} live"
    rows = tuple(_buffer_row(graph, b) for b in top.buffers[:_TENSORS_SHOWN])
    blocks: list[Block] = [Heading(head)]
    blocks.append(Table(("bytes", "tensor", "shape", "type"), rows, frozenset({"bytes"})))
    left = len(top.buffers) - len(rows)
    if left > 0:
        rest = sum(b.size for b in top.buffers[_TENSORS_SHOWN:])
        blocks.append(Note(f"and {left} more with {size(rest)} in all"))
    return blocks


def _buffer_row(graph: Graph, buffer: Buffer) -> tuple[str, ...]:
    if buffer.tensor is None:
        return (count(buffer.size), "(scratch)", "", "")
    tensor = graph.subgraphs[buffer.subgraph].tensors[buffer.tensor]
    return (count(buffer.size), _tensor_name(tensor), _shape(tensor), tensor.type)


def _tensor_name(tensor: Tensor) -> str:
    return printable(tensor.name, limit=48) or f"tensor {tensor.index}"


def _shape(tensor: Tensor) -> str:
    return "[" + ",".join(str(d) for d in tensor.shape) + "]"


def _changes(result: Fit, others: Sequence[Fit]) -> list[Block]:
    blocks: list[Block] = [Heading("What would make it fit")]
    if result.ram is not None and result.arena is not None and result.ram.missing_bytes > 0:
        blocks += _ram_changes(result, result.ram, result.arena)
    if result.flash.missing_bytes > 0:
        blocks += _flash_changes(result, result.flash)
    fitting = sorted((f for f in others if f.verdict == "fits"), key=lambda f: f.headroom)
    if fitting:
        names = ", ".join(f.board.id for f in fitting[:4])
        blocks.append(Note(f"boards that hold it as it is, tightest first: {names}"))
    else:
        blocks.append(Note("no board that tinykit knows holds this model as it is"))
    return blocks


def _ram_changes(result: Fit, ram: RamFit, needs: Arena) -> list[Block]:
    blocks: list[Block] = [Note(f"RAM is {size(ram.missing_bytes)} short", "bad")]
    for item in shrink(result.graph, needs, ram.missing_bytes):
        share = 100 * (1 - item.target_bytes / item.size_bytes)
        where = f"tensor {item.tensor.index} {_tensor_name(item.tensor)} {_shape(item.tensor)}"
        blocks.append(
            Note(
                f"shrink {where} from {size(item.size_bytes)} to at most "
                f"{size(item.target_bytes)} (-{share:.0f} %): fewer channels, a smaller input, or "
                "a larger stride before it"
            )
        )
    if len(blocks) == 1:
        blocks.append(Note(_broad_change(needs, ram.missing_bytes)))
    gap = needs.head - needs.lower_bound
    if gap > 0:
        blocks.append(Note(f"a better memory plan can save up to {size(gap)} of the head"))
    for bank in result.board.ram_banks()[1:]:
        if bank.size_bytes >= needs.needed:
            kind = "a bank of its own" if bank.on_chip else "external memory, slower"
            blocks.append(Note(f"the arena alone fits {bank.label} ({kind})"))
            break
    return blocks


def _broad_change(needs: Arena, missing_bytes: int) -> str:
    """Return what to do where shrinking one tensor is not enough."""
    allowed = needs.head - missing_bytes
    if allowed <= 0:
        return f"the tail alone takes {size(needs.tail)}: fewer operators and channels, or more RAM"
    busy = sum(live > allowed for live in needs.live)
    factor = (allowed / needs.head) ** 0.5
    return (
        f"{busy} operators need more than the {size(allowed)} that are left for the head: fewer "
        f"channels throughout, or an input of about {factor:.0%} of its height and width"
    )


def _flash_changes(result: Fit, flash: FlashFit) -> list[Block]:
    blocks: list[Block] = [Note(f"flash is {size(flash.missing_bytes)} short", "bad")]
    heavy = max(result.cost.operators, key=lambda c: c.weight_bytes, default=None)
    if heavy is not None and heavy.weight_bytes:
        blocks.append(
            Note(
                f"the heaviest weights are those of operator {heavy.operator} "
                f"({printable(heavy.name)}): {size(heavy.weight_bytes)} of the "
                f"{size(flash.model_bytes)} file"
            )
        )
    if result.setup.build == "default" or result.setup.registrations == "generic":
        blocks.append(Note("build with --build release --registrations int8 for the least code"))
    return blocks


def _basis(result: Fit) -> list[Block]:
    macs = result.cost.known_macs
    text = (
        f"{si(macs, 'MAC')} per inference; kernels {result.kernels}, build {result.setup.build}, "
        f"registrations {result.setup.registrations}; TFLM {COMMIT}; runtime: "
        f"{result.flash.runtime.basis}"
    )
    return [Heading("Basis"), Note(text)]


def table_document(name: str, fits: Sequence[Fit]) -> Document:
    """Return the table of one model on many boards, most headroom first."""
    ranked = sorted(fits, key=lambda f: (f.verdict != "fits", -f.headroom, f.board.id))
    rows = tuple(_table_row(f) for f in ranked)
    good = sum(f.verdict == "fits" for f in fits)
    columns = ("board", "verdict", "headroom", "arena", "RAM", "of", "flash", "of", "kernels")
    heads = frozenset({"headroom", "arena", "RAM", "of", "flash"})
    tone: Tone = "good" if good else "bad"
    verdict = f"{printable(name)} fits {good} of {len(fits)} boards"
    return Document(verdict, tone, (Table(columns, rows, heads),))


def _table_row(result: Fit) -> tuple[str, ...]:
    ram = result.ram
    return (
        result.board.id + ("" if result.board.checked else " (not checked)"),
        result.verdict,
        f"{100 * result.headroom:.0f} %",
        "" if ram is None else count(ram.arena_bytes),
        "" if ram is None else count(ram.total_bytes),
        "" if ram is None else capacity(ram.bank.size_bytes),
        count(result.flash.total_bytes),
        capacity(result.flash.limit_bytes),
        result.kernels,
    )
