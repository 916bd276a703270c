# SPDX-License-Identifier: Apache-2.0
"""The TensorFlow Lite schema as tables: type and operator names, option tables, enums.

Source: tensorflow/compiler/mlir/lite/schema/schema.fbs at the commit of `tinykit.tflm.COMMIT`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

IDENTIFIER = b"TFL3"
VERSION = 3

TENSOR_TYPES: tuple[str, ...] = tuple(
    """
FLOAT32 FLOAT16 INT32 UINT8 INT64 STRING BOOL INT16 COMPLEX64 INT8 FLOAT64 COMPLEX128 UINT64
RESOURCE VARIANT UINT32 UINT16 INT4 BFLOAT16 INT2 UINT4 FLOAT8_E4M3FN FLOAT8_E5M2
""".split()
)
"""`TensorType` by code."""

OPERATORS: tuple[str, ...] = tuple(
    """
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE
EMBEDDING_LOOKUP FLOOR FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D
LOCAL_RESPONSE_NORMALIZATION LOGISTIC LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1
RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM
CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND
SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE
BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE BIDIRECTIONAL_SEQUENCE_LSTM
CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL LESS_EQUAL SELECT SLICE
SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT RSQRT SHAPE POW
ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT UNPACK
REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR
LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS
WHERE RANK ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE
NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM
BATCH_MATMUL PLACEHOLDER_FOR_GREATER_OP_CODES CUMSUM CALL_ONCE BROADCAST_TO RFFT2D CONV_3D IMAG
REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE REDUCE_ALL
CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL
BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU DYNAMIC_UPDATE_SLICE RELU_0_TO_1 UNSORTED_SEGMENT_PROD
UNSORTED_SEGMENT_MAX UNSORTED_SEGMENT_SUM ATAN2 UNSORTED_SEGMENT_MIN SIGN BITCAST BITWISE_XOR
RIGHT_SHIFT STABLEHLO_LOGISTIC STABLEHLO_ADD STABLEHLO_DIVIDE STABLEHLO_MULTIPLY
STABLEHLO_MAXIMUM STABLEHLO_RESHAPE STABLEHLO_CLAMP STABLEHLO_CONCATENATE
STABLEHLO_BROADCAST_IN_DIM STABLEHLO_CONVOLUTION STABLEHLO_SLICE STABLEHLO_CUSTOM_CALL
STABLEHLO_REDUCE STABLEHLO_ABS STABLEHLO_AND STABLEHLO_COSINE STABLEHLO_EXPONENTIAL
STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_MINIMUM STABLEHLO_NEGATE STABLEHLO_OR STABLEHLO_POWER
STABLEHLO_REMAINDER STABLEHLO_RSQRT STABLEHLO_SELECT STABLEHLO_SUBTRACT STABLEHLO_TANH
STABLEHLO_SCATTER STABLEHLO_COMPARE STABLEHLO_CONVERT STABLEHLO_DYNAMIC_SLICE
STABLEHLO_DYNAMIC_UPDATE_SLICE STABLEHLO_PAD STABLEHLO_IOTA STABLEHLO_DOT_GENERAL
STABLEHLO_REDUCE_WINDOW STABLEHLO_SORT STABLEHLO_WHILE STABLEHLO_GATHER STABLEHLO_TRANSPOSE
DILATE STABLEHLO_RNG_BIT_GENERATOR REDUCE_WINDOW STABLEHLO_COMPOSITE STABLEHLO_SHIFT_LEFT
STABLEHLO_CBRT STABLEHLO_CASE
""".split()
)
"""`BuiltinOperator` by code; `-` where the schema has none."""

_ENUMS: dict[str, tuple[str, ...]] = {
    "TensorType": TENSOR_TYPES,
    "ActivationFunctionType": tuple("NONE RELU RELU_N1_TO_1 RELU6 TANH SIGN_BIT".split()),
    "CombinerType": tuple("SUM MEAN SQRTN".split()),
    "CustomOptionsFormat": tuple("FLEXBUFFERS".split()),
    "FullyConnectedOptionsWeightsFormat": tuple("DEFAULT SHUFFLED4x16INT8".split()),
    "LSHProjectionType": tuple("UNKNOWN SPARSE DENSE".split()),
    "LSTMKernelType": tuple("FULL BASIC".split()),
    "MirrorPadMode": tuple("REFLECT SYMMETRIC".split()),
    "Padding": tuple("SAME VALID".split()),
    "ReduceWindowFunction": tuple("UNSUPPORTED ADD MUL MINIMUM MAXIMUM ALL ANY".split()),
    "RngAlgorithm": tuple("DEFAULT PHILOX THREEFRY".split()),
    "StablehloComparisonDirection": tuple(
        (
            "STABLEHLO_COMPARISON_DIRECTION_EQ STABLEHLO_COMPARISON_DIRECTION_NE "
            "STABLEHLO_COMPARISON_DIRECTION_GE STABLEHLO_COMPARISON_DIRECTION_GT "
            "STABLEHLO_COMPARISON_DIRECTION_LE STABLEHLO_COMPARISON_DIRECTION_LT"
        ).split()
    ),
    "StablehloComparisonType": tuple(
        (
            "STABLEHLO_COMPARISON_TYPE_NOTYPE STABLEHLO_COMPARISON_TYPE_FLOAT "
            "STABLEHLO_COMPARISON_TYPE_FLOAT_TOTAL_ORDER STABLEHLO_COMPARISON_TYPE_SIGNED "
            "STABLEHLO_COMPARISON_TYPE_UNSIGNED"
        ).split()
    ),
    "StablehloPrecisionConfig": tuple("DEFAULT HIGH HIGHEST".split()),
}
"""Enums that options use: names by code."""

_WIDE_ENUMS = {
    "ReduceWindowFunction": "i32",
    "StablehloComparisonDirection": "u32",
    "StablehloComparisonType": "u32",
    "StablehloPrecisionConfig": "u32",
}
"""Enums that the schema does not store in a byte."""

_OPTIONS = """
Conv2DOptions padding:Padding stride_w:i32 stride_h:i32
  fused_activation_function:ActivationFunctionType dilation_w_factor:i32=1 dilation_h_factor:i32=1
  quantized_bias_type:TensorType
DepthwiseConv2DOptions padding:Padding stride_w:i32 stride_h:i32 depth_multiplier:i32
  fused_activation_function:ActivationFunctionType dilation_w_factor:i32=1 dilation_h_factor:i32=1
ConcatEmbeddingsOptions num_channels:i32 num_columns_per_channel:[i32]
  embedding_dim_per_channel:[i32]
LSHProjectionOptions type:LSHProjectionType
Pool2DOptions padding:Padding stride_w:i32 stride_h:i32 filter_width:i32 filter_height:i32
  fused_activation_function:ActivationFunctionType
SVDFOptions rank:i32 fused_activation_function:ActivationFunctionType
  asymmetric_quantize_inputs:bool
RNNOptions fused_activation_function:ActivationFunctionType asymmetric_quantize_inputs:bool
FullyConnectedOptions fused_activation_function:ActivationFunctionType
  weights_format:FullyConnectedOptionsWeightsFormat=DEFAULT keep_num_dims:bool
  asymmetric_quantize_inputs:bool quantized_bias_type:TensorType
SoftmaxOptions beta:f32
ConcatenationOptions axis:i32 fused_activation_function:ActivationFunctionType
AddOptions fused_activation_function:ActivationFunctionType pot_scale_int16:bool=true
L2NormOptions fused_activation_function:ActivationFunctionType
LocalResponseNormalizationOptions radius:i32 bias:f32 alpha:f32 beta:f32
LSTMOptions fused_activation_function:ActivationFunctionType cell_clip:f32 proj_clip:f32
  kernel_type:LSTMKernelType=FULL asymmetric_quantize_inputs:bool
ResizeBilinearOptions new_height:i32 new_width:i32 align_corners:bool half_pixel_centers:bool
CallOptions subgraph:u32
ReshapeOptions new_shape:[i32]
SkipGramOptions ngram_size:i32 max_skip_size:i32 include_all_ngrams:bool
SpaceToDepthOptions block_size:i32
EmbeddingLookupSparseOptions combiner:CombinerType
MulOptions fused_activation_function:ActivationFunctionType
PadOptions
GatherOptions axis:i32 batch_dims:i32
BatchToSpaceNDOptions
SpaceToBatchNDOptions
TransposeOptions
ReducerOptions keep_dims:bool
SubOptions fused_activation_function:ActivationFunctionType pot_scale_int16:bool=true
DivOptions fused_activation_function:ActivationFunctionType
SqueezeOptions squeeze_dims:[i32]
SequenceRNNOptions time_major:bool fused_activation_function:ActivationFunctionType
  asymmetric_quantize_inputs:bool
StridedSliceOptions begin_mask:i32 end_mask:i32 ellipsis_mask:i32 new_axis_mask:i32
  shrink_axis_mask:i32 offset:bool
ExpOptions
TopKV2Options
SplitOptions num_splits:i32
LogSoftmaxOptions
CastOptions in_data_type:TensorType out_data_type:TensorType
DequantizeOptions
MaximumMinimumOptions
ArgMaxOptions output_type:TensorType
LessOptions
NegOptions
PadV2Options
GreaterOptions
GreaterEqualOptions
LessEqualOptions
SelectOptions
SliceOptions
TransposeConvOptions padding:Padding stride_w:i32 stride_h:i32
  fused_activation_function:ActivationFunctionType quantized_bias_type:TensorType
SparseToDenseOptions validate_indices:bool
TileOptions
ExpandDimsOptions
EqualOptions
NotEqualOptions
ShapeOptions out_type:TensorType
PowOptions
ArgMinOptions output_type:TensorType
FakeQuantOptions min:f32 max:f32 num_bits:i32 narrow_range:bool
PackOptions values_count:i32 axis:i32
LogicalOrOptions
OneHotOptions axis:i32
LogicalAndOptions
LogicalNotOptions
UnpackOptions num:i32 axis:i32
FloorDivOptions
SquareOptions
ZerosLikeOptions
FillOptions
BidirectionalSequenceLSTMOptions fused_activation_function:ActivationFunctionType cell_clip:f32
  proj_clip:f32 merge_outputs:bool time_major:bool=true asymmetric_quantize_inputs:bool
BidirectionalSequenceRNNOptions time_major:bool fused_activation_function:ActivationFunctionType
  merge_outputs:bool asymmetric_quantize_inputs:bool
UnidirectionalSequenceLSTMOptions fused_activation_function:ActivationFunctionType cell_clip:f32
  proj_clip:f32 time_major:bool asymmetric_quantize_inputs:bool diagonal_recurrent_tensors:bool
FloorModOptions
RangeOptions
ResizeNearestNeighborOptions align_corners:bool half_pixel_centers:bool
LeakyReluOptions alpha:f32
SquaredDifferenceOptions
MirrorPadOptions mode:MirrorPadMode
AbsOptions
SplitVOptions num_splits:i32
UniqueOptions idx_out_type:TensorType=INT32
ReverseV2Options
AddNOptions
GatherNdOptions
CosOptions
WhereOptions
RankOptions
ReverseSequenceOptions seq_dim:i32 batch_dim:i32
MatrixDiagOptions
QuantizeOptions
MatrixSetDiagOptions
HardSwishOptions
IfOptions then_subgraph_index:i32 else_subgraph_index:i32
WhileOptions cond_subgraph_index:i32 body_subgraph_index:i32
DepthToSpaceOptions block_size:i32
NonMaxSuppressionV4Options
NonMaxSuppressionV5Options
ScatterNdOptions
SelectV2Options
DensifyOptions
SegmentSumOptions
BatchMatMulOptions adj_x:bool adj_y:bool asymmetric_quantize_inputs:bool
CumsumOptions exclusive:bool reverse:bool
CallOnceOptions init_subgraph_index:i32
BroadcastToOptions
Rfft2dOptions
Conv3DOptions padding:Padding stride_d:i32 stride_w:i32 stride_h:i32
  fused_activation_function:ActivationFunctionType dilation_d_factor:i32=1 dilation_w_factor:i32=1
  dilation_h_factor:i32=1
HashtableOptions table_id:i32 key_dtype:TensorType value_dtype:TensorType
HashtableFindOptions
HashtableImportOptions
HashtableSizeOptions
VarHandleOptions container:str shared_name:str
ReadVariableOptions
AssignVariableOptions
RandomOptions seed:i64 seed2:i64
BucketizeOptions -
GeluOptions approximate:bool
DynamicUpdateSliceOptions
UnsortedSegmentProdOptions
UnsortedSegmentMaxOptions
UnsortedSegmentMinOptions
UnsortedSegmentSumOptions
ATan2Options
SignOptions
BitcastOptions
BitwiseXorOptions
RightShiftOptions
"""

_OPTIONS_2 = """
StablehloConcatenateOptions dimension:i64
StablehloBroadcastInDimOptions broadcast_dimensions:[i64]
StablehloSliceOptions start_indices:[i64] limit_indices:[i64] strides:[i64]
StablehloConvolutionOptions window_strides:[i64] padding:[i64] lhs_dilation:[i64]
  rhs_dilation:[i64] window_reversal:[bool] input_batch_dimension:i64 input_feature_dimension:i64
  input_spatial_dimensions:[i64] kernel_input_feature_dimension:i64
  kernel_output_feature_dimension:i64 kernel_spatial_dimensions:[i64] output_batch_dimension:i64
  output_feature_dimension:i64 output_spatial_dimensions:[i64] feature_group_count:i64
  batch_group_count:i64 precision_config:[StablehloPrecisionConfig]
StablehloCustomCallOptions call_target_name:str has_side_effect:bool backend_config:str
  api_version:i32 called_computations:[i32] custom_attributes:[u8]
StablehloReduceOptions dimensions:[i64] body_subgraph_index:i32
StablehloScatterOptions indices_are_sorted:bool update_window_dims:[i64]
  inserted_window_dims:[i64] scatter_dims_to_operand_dims:[i64] index_vector_dim:i64
  unique_indices:bool update_computation_subgraph_index:i32
StablehloCompareOptions comparison_direction:StablehloComparisonDirection
  compare_type:StablehloComparisonType
StablehloDynamicSliceOptions slice_sizes:[i64]
StablehloPadOptions edge_padding_low:[i64] edge_padding_high:[i64] interior_padding:[i64]
StablehloIotaOptions iota_dimension:i64
StablehloDotGeneralOptions lhs_batching_dimensions:[i64] rhs_batching_dimensions:[i64]
  lhs_contracting_dimensions:[i64] rhs_contracting_dimensions:[i64]
  precision_config:[StablehloPrecisionConfig]
StablehloReduceWindowOptions window_dimensions:[i64] window_strides:[i64] base_dilations:[i64]
  window_dilations:[i64] padding:[i64] body_subgraph_index:i32
StablehloSortOptions dimension:i64 is_stable:bool comparator_subgraph_index:i32
StablehloWhileOptions cond_subgraph_index:i32 body_subgraph_index:i32
StablehloGatherOptions offset_dims:[i64] collapsed_slice_dims:[i64] start_index_map:[i64]
  index_vector_dim:i64 slice_sizes:[i64] indices_are_sorted:bool
StablehloTransposeOptions permutation:[i64]
DilateOptions
StablehloRngBitGeneratorOptions algorithm:RngAlgorithm
ReduceWindowOptions reduce_function:ReduceWindowFunction
StableHLOCompositeOptions name:str decomposition_subgraph_index:i32 composite_attributes:[u8]
  composite_attributes_format:CustomOptionsFormat version:i32
StablehloShiftLeftOptions
StablehloCaseOptions branch_subgraph_indices:[i32]
"""


class Option(NamedTuple):
    """One field of an option table.

    Attributes:
        slot: position in the table, from 0.
        kind: `i8` to `u64`, `f32`, `bool`, `str`, or `[i32]` and the like for a vector.
        names: of an enum's values, () for a plain number; a vector of enums stays codes.
        default: what an absent field means, as a Graph has it: a name for an enum.
    """

    slot: int
    name: str
    kind: str
    names: tuple[str, ...]
    default: int | float | bool | str | tuple[int, ...]


class OptionTable(NamedTuple):
    """An option table: its name and the fields that tinykit reads (`-` marks one it skips)."""

    name: str
    fields: tuple[Option, ...]


@lru_cache(maxsize=2)
def _rows(second: bool) -> list[str]:
    """Return one line per table; a line that begins with a space continues the one before."""
    text = (_OPTIONS_2 if second else _OPTIONS).strip()
    return text.replace("\n ", " ").splitlines()


@lru_cache(maxsize=256)
def option_table(kind: int, *, second: bool = False) -> OptionTable | None:
    """Return the option table with union code `kind`, None where this schema has none.

    Args:
        kind: code in `BuiltinOptions`, from 1.
        second: look in `BuiltinOptions2`.
    """
    rows = _rows(second)
    if not 1 <= kind <= len(rows):
        return None
    name, *fields = rows[kind - 1].split()
    options = (_option(slot, field) for slot, field in enumerate(fields) if field != "-")
    return OptionTable(name, tuple(options))


def _option(slot: int, field: str) -> Option:
    name, _, rest = field.partition(":")
    kind, _, default = rest.partition("=")
    inner = kind.strip("[]")
    names = _ENUMS.get(inner, ())
    if names:
        kind = kind.replace(inner, _WIDE_ENUMS.get(inner, "i8"))
    if kind.startswith("["):
        return Option(slot, name, kind, (), ())
    if names:
        return Option(slot, name, kind, names, default or names[0])
    absent = _ABSENT[kind] if kind in _ABSENT else int(default or 0)
    return Option(slot, name, kind, (), default == "true" if kind == "bool" else absent)


_ABSENT: dict[str, float | str] = {"bool": False, "str": "", "f32": 0.0}
