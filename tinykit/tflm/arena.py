# SPDX-License-Identifier: Apache-2.0
"""The arena that TFLM needs for a model, found by replaying what AllocateTensors does.

The arena grows from both ends: the tail holds what lives as long as the model, the head holds the
planned buffers, and while the model is being prepared temporary memory lies above the head. What
is left between the two ends at the tightest moment decides how small an arena can be, and that
moment is often not the last one: `arena_used_bytes()` reports only the last.

Steps, as in MicroInterpreter::AllocateTensors:

1. allocator, planner and builtin-data objects; per subgraph the eval tensors and the nodes;
2. builtin parameters, then each kernel's Init, then each kernel's Prepare;
3. handles of the scratch buffers, the planner's working memory, variable tensors, the plan;
4. TfLiteTensors of the model's inputs and outputs.

Source: tensorflow/lite/micro/{micro_allocator,micro_interpreter,micro_interpreter_graph}.cc and
arena_allocator/single_arena_buffer_allocator.cc at `tinykit.tflm.COMMIT`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from struct import unpack_from
from typing import Literal

from tinykit.model.graph import BITS, Graph, Operator, Tensor
from tinykit.planning.buffers import Buffer, Plan, live_bytes
from tinykit.planning.greedy import greedy_plan
from tinykit.planning.lifetimes import Key, Lifetimes, lifetimes
from tinykit.tflm.kernels import Library, kernel_table
from tinykit.tflm.kernels.cmsis_nn_buffers import Isa
from tinykit.tflm.kernels.kernel import (
    Kernel,
    MalformedOperatorError,
    Node,
    Prepare,
    kernel_key,
    quantized_channels,
)
from tinykit.tflm.layout import (
    ARENA_ALIGNMENT,
    ARM32,
    MAX_SCRATCH_PER_OPERATOR,
    Abi,
    RuntimeLayout,
    align_up,
)

OFFLINE_PLAN = "OfflineMemoryAllocation"
"""Name of the metadata that holds an offline memory plan."""


@dataclass(frozen=True, slots=True)
class Arena:
    """What a model asks of the arena; every figure in bytes.

    Attributes:
        used: what `arena_used_bytes()` reports in an arena of `needed` bytes.
        needed: the smallest arena, a multiple of 16, in which AllocateTensors and Invoke work and
            nothing is written over memory in use; TFLM itself accepts a little less where a
            kernel takes persistent memory after temporary memory, and overwrites the latter.
        needed_for: the moment that decides `needed`.
        head: the planned buffers.
        tail: what lives as long as the model.
        model_tail: the tail in a firmware that places the allocator's own three objects outside
            the arena; not a plain difference, because of alignment.
        scratch: sum of the scratch that the kernels request.
        lower_bound: most bytes of tensors and scratch live at any one step; `head` cannot be less.
        resource_variables: number of variables that the firmware makes room for.
        status: "exact" where every table used is held against the runtime, else "bounded".
        doubts: why it is not exact, one sentence each.
        plan: where each buffer lies.
        steps: the (subgraph, operator) of each step of the plan.
        live: bytes live at each step.
    """

    used: int
    needed: int
    needed_for: str
    head: int
    tail: int
    model_tail: int
    scratch: int
    lower_bound: int
    resource_variables: int
    status: Literal["exact", "bounded"]
    doubts: tuple[str, ...]
    plan: Plan
    steps: tuple[Key | None, ...]
    live: tuple[int, ...]

    @property
    def peak_step(self) -> int:
        """Return the first step at which the most bytes are live."""
        return self.live.index(max(self.live)) if self.live else 0


def tensor_bytes(tensor: Tensor) -> int:
    """Return the bytes of a tensor in TFLM's memory, where 4-bit elements take a byte each."""
    if tensor.type == "RESOURCE":
        return 4 * tensor.elements
    bits = BITS.get(tensor.type, 0)
    return tensor.elements * (1 if bits == 4 else bits // 8)


def arena(graph: Graph, library: Library, isa: Isa, abi: Abi = ARM32) -> Arena:
    """Return the arena that `graph` needs in TFLM.

    Args:
        graph: the model; its dynamic shapes count as empty.
        library: the kernel library that the firmware is built with.
        isa: the core's extension that CMSIS-NN uses.
        abi: of the target; the host's serves to check the simulation.

    Raises:
        PlanError: control flow has no bound.
    """
    return simulate(graph, kernel_table(library, isa), RuntimeLayout(abi))


def simulate(graph: Graph, kernels: Mapping[str, Kernel], layout: RuntimeLayout) -> Arena:
    """Return the arena that `graph` needs in a build with these kernels and structures.

    Raises:
        PlanError: control flow has no bound.
    """
    return _Simulation(graph, kernels, layout).run()


def simulate_next(
    graph: Graph, kernels: Mapping[str, Kernel], layout: RuntimeLayout, before: Arena
) -> Arena:
    """Return the arena after one more model was allocated in it, behind those of `before`.

    The answer's `used`, `needed`, `head` and `tail` are those of all models together.

    Raises:
        PlanError: control flow has no bound.
    """
    return _Simulation(graph, kernels, layout, before).run()


class _Simulation:
    """One run of AllocateTensors in an arena whose size is a multiple of 16.

    With such a size every alignment is independent of the size itself, so the smallest arena is
    the largest sum of both ends over all moments: no search is needed.
    """

    def __init__(
        self,
        graph: Graph,
        kernels: Mapping[str, Kernel],
        layout: RuntimeLayout,
        before: Arena | None = None,
    ) -> None:
        self._graph = graph
        self._kernels = kernels
        self._abi = layout.abi
        self._layout = layout
        self._before = before
        self._head = self._temp = self._model_tail = 0
        self._tail = 0 if before is None else before.tail
        self._needed = 0 if before is None else before.needed
        self._needed_for = ""
        self._moment = "the runtime's own objects"
        self._scratch: list[tuple[int, int, int]] = []  # subgraph, operator, bytes
        self._at: Key = (0, 0)
        self._doubts: dict[str, None] = {}
        self._handles = self._resource_handles()
        self._resource_variables = len(set(self._handles.values()))
        self._resources: set[Hashable] = set()

    # Allocations, as the kernels see them.

    def temp(self, *tensors: Tensor | None) -> None:
        """Borrow a TfLiteTensor with its quantization for each tensor."""
        layout = self._layout
        temp = self._temp
        for tensor in tensors:
            if tensor is None:
                continue
            temp = align_up(temp, layout.tensor.alignment) + layout.tensor.size
            channels = quantized_channels(tensor)
            if channels:
                affine = layout.affine_quantization
                temp = align_up(temp, affine.alignment) + affine.size
                temp += layout.int_array(channels)
        self._temp = temp
        self._require(temp + self._tail)

    def persistent(self, size: int, alignment: int = ARENA_ALIGNMENT) -> None:
        """Take memory from the tail."""
        self._tail = align_up(self._tail + size, alignment)
        self._model_tail = align_up(self._model_tail + size, alignment)
        # TFLM checks this against the head only and would let it run into temporaries.
        self._require(self._temp + self._tail)

    def scratch(self, size: int) -> None:
        """Record a request for a planned buffer."""
        self._scratch.append((*self._at, size))

    def resource(self, variable: Hashable, size: int) -> None:
        """Take memory for the resource variable behind a handle, the first time it is assigned."""
        name = self._handles.get((self._at[0], variable))
        if name is not None and name not in self._resources:
            self._resources.add(name)
            self.persistent(size)

    def unsure(self, reason: str) -> None:
        """Note a doubt about the operator being prepared."""
        subgraph, index = self._at
        label = self._graph.subgraphs[subgraph].operators[index].label
        self._doubts.setdefault(f"operator {index} ({label}): {reason}")

    def pointers(self, count: int) -> int:
        """Return the bytes of `count` pointers."""
        return count * self._abi.pointer

    def int_array(self, length: int) -> int:
        """Return the bytes of a TfLiteIntArray."""
        return self._layout.int_array(length)

    def struct(self, fields: str) -> int:
        """Return the bytes of a C structure."""
        return self._abi.struct(fields).size

    # The run.

    def run(self) -> Arena:
        self._note_unknown_shapes()
        self._allocate_runtime()
        self._initialise_kernels()
        self._prepare_kernels()
        plan, found = self._plan_memory()
        self._moment = "head and tail together"
        self._head = self._temp = 0
        # Models that share an arena share the head, which is as large as the largest plan.
        head = plan.size if self._before is None else max(plan.size, self._before.head)
        self._resize(head)
        self._allocate_interface()
        live = live_bytes(plan.buffers)
        live += [0] * (len(found.steps) - len(live))
        return Arena(
            used=head + self._tail,
            needed=align_up(self._needed, ARENA_ALIGNMENT),
            needed_for=self._needed_for,
            head=head,
            tail=self._tail,
            model_tail=self._model_tail,
            scratch=sum(size for _, _, size in self._scratch),
            lower_bound=max(live, default=0),
            resource_variables=self._resource_variables,
            status="bounded" if self._doubts else "exact",
            doubts=tuple(self._doubts),
            plan=plan,
            steps=tuple(found.steps),
            live=tuple(live),
        )

    def _note_unknown_shapes(self) -> None:
        unknown = sum(t.is_dynamic for s in self._graph.subgraphs for t in s.tensors)
        if unknown:
            text = f"{unknown} tensors have a shape known only at run time; they count as empty"
            self._doubts[text] = None

    def _require(self, size: int) -> None:
        if size > self._needed:
            self._needed, self._needed_for = size, self._moment

    def _resize(self, size: int) -> None:
        self._head = self._temp = size
        self._require(size + self._tail)

    def _allocate_runtime(self) -> None:
        layout, graph = self._layout, self._graph
        if self._before is None:
            for item in (layout.arena_allocator, layout.greedy_planner, layout.micro_allocator):
                self.persistent(item.size, item.alignment)
        self._model_tail = 0
        if layout.variables_in_arena and (count := self._resource_variables):
            self.persistent(layout.resource_variables.size)
            self.persistent(layout.resource_variable.size * count)
        self.persistent(layout.builtin_data_allocator.size, layout.builtin_data_allocator.alignment)
        self._resize(MAX_SCRATCH_PER_OPERATOR * layout.scratch_request.size)
        subgraphs = layout.subgraph_allocations
        self.persistent(subgraphs.size * len(graph.subgraphs), subgraphs.alignment)
        for subgraph in graph.subgraphs:
            item = layout.eval_tensor
            self.persistent(item.size * len(subgraph.tensors), item.alignment)
        for subgraph in graph.subgraphs:
            item = layout.node_and_registration
            self.persistent(item.size * len(subgraph.operators), item.alignment)

    def _initialise_kernels(self) -> None:
        operators = [
            (subgraph.index, operator, kernel)
            for subgraph in self._graph.subgraphs
            for operator in subgraph.operators
            if (kernel := self._kernels.get(kernel_key(operator))) is not None
        ]
        for _, _, kernel in operators:
            if kernel.params:
                params = self._abi.struct(kernel.params)
                self.persistent(params.size, params.alignment)
        for subgraph_index, operator, kernel in operators:
            if kernel.op_data:
                self.persistent(self._abi.struct(kernel.op_data).size)
            if kernel.init is not None:
                self._ask(kernel.init, subgraph_index, operator)

    def _prepare_kernels(self) -> None:
        request = self._layout.scratch_request.size
        for subgraph in self._graph.subgraphs:
            for operator in subgraph.operators:
                self._moment = f"preparing operator {operator.index} ({operator.label})"
                kernel = self._kernels.get(kernel_key(operator))
                if kernel is None:
                    self._at = (subgraph.index, operator.index)
                    self.unsure("its memory is not in the tables")
                elif kernel.prepare is not None:
                    self._ask(kernel.prepare, subgraph.index, operator)
                self._temp = self._head
                self._resize((len(self._scratch) + MAX_SCRATCH_PER_OPERATOR) * request)

    def _ask(self, request: Prepare, subgraph: int, operator: Operator) -> None:
        """Let a kernel's Init or Prepare ask for its memory."""
        self._at = (subgraph, operator.index)
        try:
            request(Node(operator, self._graph.subgraphs[subgraph].tensors, subgraph), self)
        except MalformedOperatorError as error:
            self.unsure(f"it {error}")

    def _plan_memory(self) -> tuple[Plan, Lifetimes]:
        layout, graph = self._layout, self._graph
        self._moment = "planning memory"
        if self._scratch:
            handle = layout.scratch_handle
            self.persistent(handle.size * len(self._scratch), handle.alignment)
        tensors = sum(len(subgraph.tensors) for subgraph in graph.subgraphs)
        pointer, info = self._abi.pointer, layout.allocation_info
        self._temp = align_up(self._temp, pointer) + pointer * len(graph.subgraphs)
        self._temp = align_up(self._temp, info.alignment)
        self._temp += info.size * (tensors + len(self._scratch))
        self._require(self._temp + self._tail)
        offsets = self._offline_offsets(tensors)
        self._allocate_variables(offsets)
        found = lifetimes(graph)
        buffers = self._buffers(found, offsets)
        working = align_up(self._temp, ARENA_ALIGNMENT) + align_up(self._tail, ARENA_ALIGNMENT)
        self._require(working + layout.planner_record.size * len(buffers))
        return greedy_plan(buffers), found

    def _allocate_variables(self, offsets: Mapping[Key, int]) -> None:
        for subgraph in self._graph.subgraphs:
            for tensor in subgraph.tensors:
                if tensor.is_variable and offsets.get((subgraph.index, tensor.index), -1) < 0:
                    self.persistent(tensor_bytes(tensor))

    def _allocate_interface(self) -> None:
        layout, main = self._layout, self._graph.main
        for tensors in (main.inputs, main.outputs):
            self.persistent(self.pointers(len(tensors)))
            for index in tensors:
                self.persistent(layout.tensor.size, layout.tensor.alignment)
                channels = quantized_channels(main.tensors[index])
                if channels:
                    affine = layout.affine_quantization
                    self.persistent(affine.size, affine.alignment)
                    self.persistent(layout.int_array(channels), 4)

    # Facts about the graph.

    def _resource_handles(self) -> dict[tuple[int, Hashable], tuple[object, object]]:
        """Return (subgraph, tensor) of each resource handle -> its container and name."""
        return {
            (subgraph.index, output): (
                operator.options.get("container", ""),
                operator.options.get("shared_name", ""),
            )
            for subgraph in self._graph.subgraphs
            for operator in subgraph.operators
            if operator.name == "VAR_HANDLE"
            for output in operator.outputs
        }

    def _offline_offsets(self, tensors: int) -> Mapping[Key, int]:
        """Return the offsets of an offline plan in the file's metadata; -1 means online."""
        data = self._graph.metadata.get(OFFLINE_PLAN)
        keys = [(s.index, t.index) for s in self._graph.subgraphs for t in s.tensors]
        if data is None or len(data) < 12 or unpack_from("<I", data, 8)[0] != tensors:
            return {}
        if len(data) < 12 + 4 * tensors:
            return {}
        return dict(zip(keys, unpack_from(f"<{tensors}i", data, 12), strict=True))

    def _buffers(self, found: Lifetimes, offsets: Mapping[Key, int]) -> list[Buffer]:
        buffers = []
        for subgraph in self._graph.subgraphs:
            for tensor in subgraph.tensors:
                key = (subgraph.index, tensor.index)
                offset = offsets.get(key, -1)
                size = tensor_bytes(tensor)
                online = not tensor.is_constant and not tensor.is_variable
                if size == 0 or key in self._handles or not (online or offset >= 0):
                    continue
                first, last = found.tensors.get(key, (-1, -1))
                fixed = None if offset < 0 else offset
                size = align_up(size, ARENA_ALIGNMENT)
                buffers.append(Buffer(size, first, last + 1, *key, fixed_offset=fixed))
        for index, operator, size in self._scratch:
            first, last = found.operators.get((index, operator), (-1, -1))
            rounded = align_up(size, ARENA_ALIGNMENT)
            buffers.append(Buffer(rounded, first, last + 1, index, operator=operator))
        return buffers
