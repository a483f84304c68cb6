"""Modules that iree-import-onnx writes from ONNX files."""

import functools
import os
import subprocess
import sys
import tempfile

import onnx
from onnx import TensorProto, helper

import catalogue

TYPES = {
    "f32": TensorProto.FLOAT,
    "f16": TensorProto.FLOAT16,
    "i64": TensorProto.INT64,
}


def export(name, opset, inputs, nodes, outputs, constants):
    """Returns the text of a graph whose inputs are a, b, c and so on."""
    parsed = [catalogue.Input(spec) for spec in inputs]
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info("abcdefgh"[n], TYPES[i.type], i.dims) for n, i in enumerate(parsed)],
        [helper.make_tensor_value_info(o, TYPES[t.split("x")[-1]], shape_of(t)) for o, t in outputs.items()],
        [helper.make_tensor(n, kind, [len(v)] if isinstance(v, list) else [], v if isinstance(v, list) else [v])
         for n, (kind, v) in constants.items()],
    )
    # The producer's version and the IR version stand in the text, so both are fixed.
    built = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    with tempfile.TemporaryDirectory() as folder:
        file, text = os.path.join(folder, "model.onnx"), os.path.join(folder, "model.mlir")
        onnx.save(built, file)
        subprocess.run([sys.executable, "-m", "iree.compiler.tools.import_onnx", file, "-o", text], check=True)
        with open(text) as made:
            return made.read()


def shape_of(spec):
    return catalogue.Input(spec).dims


def model(name, what, inputs, rows, nodes, outputs, constants=None, opset=18):
    text = functools.partial(export, name, opset, inputs, nodes, outputs, constants or {})
    catalogue.add(name, "onnx", what, inputs, rows, text)


def one(name, what, inputs, rows, operator, output, opset=18, constants=None, extra=(), **attributes):
    """Adds a graph of one node."""
    operands = list("abcdefgh"[: len(inputs)]) + list(constants or {}) + list(extra)
    node = helper.make_node(operator, operands, ["y"], **attributes)
    model(name, what, inputs, rows, [node], {"y": output}, constants, opset)


AXES = {"axes": (TensorProto.INT64, [-1])}


def reduction(operator, inputs, output, problem, opset=18, **attributes):
    t = inputs[0].split("x")[-1]
    dynamic = "_dynamic" if inputs[0].startswith("B") else ""
    name = f"onnx_{operator}_{t}{dynamic}".lower()
    what = f"{operator} of each row" + (", dynamic batch" if dynamic else "")
    if opset < 18 and operator != "ReduceSum":
        one(name, what, inputs, f"1 {problem}", operator, output, opset=opset, axes=[-1], **attributes)
    else:
        one(name, what, inputs, f"1 {problem}", operator, output, opset=opset, constants=AXES, **attributes)


one("onnx_argmax_f32", "ArgMax over a vocabulary", ["4x32000xf32"], "1 argmax", "ArgMax", "4x1xi64", axis=-1)
one("onnx_argmax_f16_dynamic", "ArgMax over a vocabulary, dynamic batch", ["Bx32000xf16"], "1 argmax", "ArgMax",
    "Bxi64", axis=-1, keepdims=0)
one("onnx_argmin_last_f32", "ArgMin of each row, the last of equal ones", ["64x1000xf32"], "1 argmin", "ArgMin",
    "64x1xi64", axis=1, select_last_index=1)
reduction("ReduceSum", ["64x4096xf32"], "64x1xf32", "sum")
reduction("ReduceSum", ["Bx4096xf16"], "Bxf16", "sum", keepdims=0)
reduction("ReduceMean", ["1024x768xf32"], "1024x1xf32", "mean")
reduction("ReduceMax", ["64x4096xf32"], "64xf32", "max", keepdims=0)
reduction("ReduceMin", ["64x4096xf16"], "64x1xf16", "min")
reduction("ReduceProd", ["64x1024xf32"], "64x1xf32", "product")
reduction("ReduceL1", ["128x2048xf32"], "128x1xf32", "abs_sum")
reduction("ReduceL2", ["128x2048xf32"], "128xf32", "l2_norm", keepdims=0)
reduction("ReduceSumSquare", ["64x4096xf32"], "64x1xf32", "square_sum")
reduction("ReduceLogSum", ["64x4096xf32"], "64x1xf32", "log_sum")
reduction("ReduceLogSumExp", ["64x4096xf32"], "64x1xf32", "logsumexp")
one("onnx_softmax_f32", "Softmax", ["256x4096xf32"], "1 softmax", "Softmax", "256x4096xf32", axis=-1)
one("onnx_softmax_f16_dynamic", "Softmax, dynamic batch", ["Bx1000xf16"], "1 softmax", "Softmax",
    "Bx1000xf16", axis=-1)
one("onnx_logsoftmax_f32", "LogSoftmax", ["32x1000xf32"], "1 log_softmax", "LogSoftmax", "32x1000xf32", axis=-1)
# iree-compile 3.13 does not distribute its argmax over rows of 512, 1024 and 4096.
one("onnx_hardmax_f32", "Hardmax", ["64x1000xf32"], "1 argmax", "Hardmax", "64x1000xf32", axis=-1)
one("onnx_layer_norm_f32", "LayerNormalization", ["256x768xf32", "768xf32", "768xf32"], "1 layer_norm",
    "LayerNormalization", "256x768xf32", axis=-1)
one("onnx_layer_norm_f16_dynamic", "LayerNormalization, dynamic batch", ["Bx768xf16", "768xf16", "768xf16"],
    "1 layer_norm", "LayerNormalization", "Bx768xf16", axis=-1)
model("onnx_layer_norm_statistics_f32", "LayerNormalization with Mean and InvStdDev as outputs",
      ["256x768xf32", "768xf32", "768xf32"], "1 layer_norm",
      [helper.make_node("LayerNormalization", ["a", "b", "c"], ["y", "mean", "inverse"], axis=-1)],
      {"y": "256x768xf32", "mean": "256x1xf32", "inverse": "256x1xf32"})
model("onnx_rms_norm_f32", "RMSNorm from Pow, ReduceMean, Sqrt and Div", ["64x1024xf32", "1024xf32"], "1 rms_norm",
      [helper.make_node("Pow", ["a", "two"], ["square"]),
       helper.make_node("ReduceMean", ["square", "axes"], ["mean"]),
       helper.make_node("Add", ["mean", "epsilon"], ["shifted"]),
       helper.make_node("Sqrt", ["shifted"], ["root"]),
       helper.make_node("Div", ["a", "root"], ["normal"]),
       helper.make_node("Mul", ["normal", "b"], ["y"])],
      {"y": "64x1024xf32"},
      {**AXES, "two": (TensorProto.FLOAT, 2.0), "epsilon": (TensorProto.FLOAT, 1e-6)})
one("onnx_instance_norm_f32", "InstanceNormalization", ["2x32x32x32xf32", "32xf32", "32xf32"], "1 instance_norm",
    "InstanceNormalization", "2x32x32x32xf32")
one("onnx_group_norm_f32", "GroupNormalization with 8 groups", ["2x64x16x16xf32", "64xf32", "64xf32"], "1 group_norm",
    "GroupNormalization", "2x64x16x16xf32", opset=21, num_groups=8)
one("onnx_cross_entropy_f32", "SoftmaxCrossEntropyLoss, mean", ["32x1000xf32", "32xi64=5"], "1 log_softmax, 1 mean",
    "SoftmaxCrossEntropyLoss", "xf32", reduction="mean")
model("onnx_classifier_f32_dynamic", "GlobalAveragePool, Gemm, Softmax, dynamic batch",
      ["Bx128x7x7xf32", "100x128xf32", "100xf32"], "1 mean, 1 softmax",
      [helper.make_node("GlobalAveragePool", ["a"], ["pooled"]),
       helper.make_node("Flatten", ["pooled"], ["flat"]),
       helper.make_node("Gemm", ["flat", "b", "c"], ["logits"], transB=1),
       helper.make_node("Softmax", ["logits"], ["y"], axis=-1)],
      {"y": "Bx100xf32"})
