"""Modules that torch.export and torch-mlir write from PyTorch."""

import functools
import inspect
import math

import torch
import torch.nn.functional as F
from torch_mlir import fx
from torch_mlir.extras.fx_decomp_util import get_decomposition_table

import catalogue

TYPES = {
    "f32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "i64": torch.int64,
    "i1": torch.bool,
}
EPSILON = 1e-6
# torch.export specialises a size of 0 or 1, and two equal sizes look like one.
EXAMPLE_SIZES = {"B": 3, "S": 7}


def module_of(function):
    """Returns an nn.Module whose forward has the parameters of a function."""
    names = ", ".join(inspect.signature(function).parameters)
    scope = {"function": function}
    exec(f"def forward(self, {names}): return function({names})", scope)
    return type("Model", (torch.nn.Module,), {"forward": scope["forward"]})()


def export(name, function, inputs, output):
    """Returns the text that torch-mlir makes of a function."""
    parsed = [catalogue.Input(spec) for spec in inputs]
    examples = tuple(
        torch.full(i.shape(**EXAMPLE_SIZES), int(i.value or 1), dtype=TYPES[i.type]) for i in parsed
    )
    sizes = {s: torch.export.Dim(s, min=1, max=65536) for i in parsed for s in i.dims if isinstance(s, str)}
    shapes = tuple({at: sizes[d] for at, d in enumerate(i.dims) if isinstance(d, str)} for i in parsed)
    program = torch.export.export(module_of(function), examples, dynamic_shapes=shapes if sizes else None)
    decompositions = get_decomposition_table()
    # torch's own decomposition of it gathers by index tensors, which need constants of 8 KB.
    decompositions.pop(torch.ops.aten.native_group_norm.default, None)
    module = fx.export_and_import(program, output_type=output, func_name=name, decomposition_table=decompositions)
    return module.operation.get_asm(enable_debug_info=False)


def model(name, what, inputs, rows, function, output="torch"):
    text = functools.partial(export, name, function, inputs, output)
    catalogue.add(name, "torch", what, inputs, rows, text)


# Operations alone


def rms_norm(x, weight):
    """Returns Hugging Face's LlamaRMSNorm: computed in f32, rounded before the weight."""
    wide = x.float()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON)
    return weight * wide.to(x.dtype)


def gemma_norm(x, weight):
    """Returns Gemma's RMSNorm: the weight is offset by 1, and one rounding follows it."""
    wide = x.float()
    wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + EPSILON)
    return (wide * (1.0 + weight.float())).to(x.dtype)


def layer_norm(x, weight, bias):
    return F.layer_norm(x, (x.shape[-1],), weight, bias)


def residual_layer_norm_and_sum(x, r, weight, bias):
    total = x + r
    return layer_norm(total, weight, bias), total


def quantise_per_token(x):
    """Returns int8 rows and the scale of each, as SmoothQuant's activations have it."""
    wide = x.float()
    scale = wide.abs().amax(-1, keepdim=True).clamp(min=1e-5) / 127.0
    return torch.clamp(torch.round(wide / scale), -128, 127).to(torch.int8), scale


def moe_router(x, weight):
    """Returns the probabilities of the two best of 8 experts, renormalised, as Mixtral has it."""
    probabilities = F.softmax(F.linear(x, weight).float(), dim=-1)
    best, experts = torch.topk(probabilities, 2, dim=-1)
    return (best / best.sum(-1, keepdim=True)).to(x.dtype), experts


def router_argmax(x, weight):
    """Returns the best expert of a Switch Transformer and its probability."""
    probability, expert = F.softmax(F.linear(x, weight).float(), dim=-1).max(-1)
    return probability, expert


def two_causal_softmaxes(one, other):
    """Returns the attention weights of two layers with one mask."""
    index = torch.arange(one.shape[-1])
    mask = index[None, :] > index[:, None]
    return tuple(F.softmax(it.masked_fill(mask, -1e4), -1) for it in (one, other))


def mean_pooling(hidden, mask):
    """Returns the sentence embedding of sentence-transformers: masked mean, then L2 norm."""
    wide = mask.unsqueeze(-1).float()
    pooled = (hidden * wide).sum(1) / wide.sum(1).clamp(min=1e-9)
    return F.normalize(pooled, p=2.0, dim=1)


model("torch_mean_f32", "mean of each row", ["64x4096xf32"], "1 mean", lambda x: x.mean(-1))
model("torch_softmax_scaled_f32", "softmax(x * 0.125)", ["256x4096xf32"], "1 softmax",
      lambda x: F.softmax(x * 0.125, -1))
model("torch_softmax_scaled_f16_dynamic", "softmax(x * 0.125) in f16, dynamic batch", ["Bx4096xf16"],
      "1 softmax", lambda x: F.softmax(x * 0.125, -1))
model("torch_softmax_upcast_f16", "softmax in f32 of f16 scores, rounded back", ["64x512xf16"], "1 softmax",
      lambda x: F.softmax(x, -1, dtype=torch.float32).to(x.dtype))
model("torch_masked_scores_f16", "attention scores: scale, additive mask, softmax in f32",
      ["1x8x64x128xf16", "1x1x64x128xf16"], "1 softmax",
      lambda s, m: F.softmax(s / 8.0 + m, -1, dtype=torch.float32).to(s.dtype))
model("torch_log_softmax_bf16", "log_softmax of bf16 logits, in f32", ["32x4096xbf16"], "1 log_softmax",
      lambda x: F.log_softmax(x.float(), -1), "linalg-on-tensors")
model("torch_log_softmax_padded_vocabulary_f16", "log_softmax of a padded vocabulary's logits, in f32",
      ["16x8064xf16"], "1 log_softmax", lambda x: F.log_softmax(x[:, :8000].float(), -1))
model("torch_rms_norm_f16", "RMSNorm of Hugging Face's Llama", ["4x64x4096xf16", "4096xf16"], "1 rms_norm", rms_norm)
model("torch_rms_norm_bf16", "RMSNorm of Hugging Face's Llama", ["64x768xbf16", "768xbf16"], "1 rms_norm", rms_norm)
model("torch_rms_norm_bf16_dynamic", "RMSNorm of Hugging Face's Llama, dynamic batch", ["Bx768xbf16", "768xbf16"],
      "1 rms_norm", rms_norm, "linalg-on-tensors")
model("torch_rms_norm_gemma_bf16", "RMSNorm of Gemma", ["16x2048xbf16", "2048xbf16"], "1 rms_norm", gemma_norm)
model("torch_residual_layer_norm_f32", "layer_norm(x + r)", ["1024x768xf32", "1024x768xf32", "768xf32", "768xf32"],
      "1 layer_norm", lambda x, r, weight, bias: layer_norm(x + r, weight, bias))
model("torch_residual_layer_norm_kept_f16_dynamic", "layer_norm(x + r) and x + r, dynamic batch",
      ["Bx768xf16", "Bx768xf16", "768xf16", "768xf16"], "1 layer_norm", residual_layer_norm_and_sum)
model("torch_layer_norm_two_dynamic_f32", "layer_norm with dynamic batch and sequence",
      ["BxSx384xf32", "384xf32", "384xf32"], "1 layer_norm", layer_norm)
model("torch_logsumexp_f32", "logsumexp, guarded against infinite maxima", ["64x4096xf32"], "1 logsumexp",
      lambda x: torch.logsumexp(x, -1))
model("torch_argmax_vocabulary_f32", "greedy token", ["4x32000xf32"], "1 argmax", lambda x: x.argmax(-1))
model("torch_argmax_vocabulary_bf16_dynamic", "greedy token, dynamic batch", ["Bx32000xbf16"], "1 argmax",
      lambda x: x.argmax(-1), "linalg-on-tensors")
model("torch_argmax_last_token_f16", "greedy token of the last position, from a padded vocabulary",
      ["4x16x8064xf16"], "1 argmax", lambda x: x[:, -1, :8000].argmax(-1))
model("torch_max_dim_f32", "largest element of each row and its index", ["64x4096xf32"], "1 argmax",
      lambda x: torch.max(x, -1))
model("torch_sampler_f32", "gpt-fast's sampler: (softmax(l) / q).argmax", ["8x4096xf32", "8x4096xf32"],
      "1 softmax, 1 argmax", lambda l, q: (F.softmax(l, -1) / q).argmax(-1, keepdim=True))
model("torch_gelu_f32", "GELU with erf", ["64x3072xf32"], "-", lambda x: F.gelu(x))
model("torch_silu_bf16", "SiLU", ["64x1024xbf16"], "-", lambda x: F.silu(x))
model("torch_swiglu_f16_dynamic", "SwiGLU: silu(gate) * up, dynamic batch", ["Bx1024xf16", "Bx1024xf16"], "-",
      lambda g, u: F.silu(g) * u)
model("torch_group_norm_f32", "GroupNorm with 8 groups", ["2x64x16x16xf32", "64xf32", "64xf32"], "1 group_norm",
      lambda x, weight, bias: F.group_norm(x, 8, weight, bias))
model("torch_var_mean_f32", "variance and mean of each row", ["64x4096xf32"], "1 var_mean",
      lambda x: torch.var_mean(x, -1))
model("torch_divide_by_norm_f32", "x / norm(x)", ["128x768xf32"], "1 l2_norm",
      lambda x: x / torch.linalg.vector_norm(x, dim=-1, keepdim=True))
model("torch_cross_entropy_f32", "mean cross entropy", ["32x1000xf32", "32xi64=5"], "1 log_softmax, 1 mean",
      lambda x, target: F.cross_entropy(x, target))
model("torch_cross_entropy_bf16", "cross entropy of each row of bf16 logits, in f32", ["16x4096xbf16", "16xi64=5"],
      "1 log_softmax", lambda x, target: F.cross_entropy(x.float(), target, reduction="none"))
model("torch_linear_bias_f16", "nn.Linear with bias, one token", ["1x1024xf16", "512x1024xf16", "512xf16"], "1 dot",
      lambda x, weight, bias: F.linear(x, weight, bias))
model("torch_linear_bf16", "nn.Linear without bias, one token", ["1x768xbf16", "768x768xbf16"], "1 dot",
      lambda x, weight: F.linear(x, weight))
model("torch_moe_router_f16", "Mixtral's router: linear, softmax in f32, top 2, renormalised",
      ["16x256xf16", "8x256xf16"], "1 softmax, 1 topk, 1 sum", moe_router)
model("torch_switch_router_bf16_dynamic", "Switch Transformer's router: linear, softmax in f32, max, dynamic batch",
      ["Bx256xbf16", "64x256xbf16"], "1 softmax, 1 argmax", router_argmax)
model("torch_quantise_per_token_f16", "int8 quantisation with a scale for each token", ["64x2048xf16"], "1 max",
      quantise_per_token)
model("torch_mean_pooling_f32_dynamic", "sentence embedding: masked mean and L2 norm, dynamic batch",
      ["Bx64x384xf32", "Bx64xi64=1"], "2 sum, 1 l2_norm", mean_pooling)


# Blocks of models


def split_heads(x, heads):
    batch, length, width = x.shape
    return x.view(batch, length, heads, width // heads).transpose(1, 2)


def attention(q, k, v, mask=None):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores + mask
    weights = F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype)
    mixed = (weights @ v).transpose(1, 2)
    return mixed.reshape(mixed.shape[0], mixed.shape[1], -1)


def bert_layer(x, wq, bq, wk, bk, wv, bv, wo, bo, g1, b1, w1, c1, w2, c2, g2, b2):
    """Returns BertLayer: 4 heads, norms after the residuals, GELU."""
    q, k, v = (split_heads(F.linear(x, w, b), 4) for w, b in ((wq, bq), (wk, bk), (wv, bv)))
    x = layer_norm(x + F.linear(attention(q, k, v), wo, bo), g1, b1)
    return layer_norm(x + F.linear(F.gelu(F.linear(x, w1, c1)), w2, c2), g2, b2)


def bert_inputs(x, t, width=256):
    square, row = f"{width}x{width}x{t}", f"{width}x{t}"
    return [f"{x}x{width}x{t}"] + [square, row] * 4 + [row, row] + [
        f"{2 * width}x{width}x{t}", f"{2 * width}x{t}", f"{width}x{2 * width}x{t}", row, row, row]


def gpt2_block(x, g1, b1, wqkv, bqkv, wo, bo, g2, b2, w1, c1, w2, c2):
    """Returns GPT-2's block: norms before, causal mask, Conv1D weights, GELU with tanh."""
    length, width = x.shape[1], x.shape[2]
    q, k, v = (layer_norm(x, g1, b1) @ wqkv + bqkv).split(width, dim=-1)
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    mask = torch.zeros(length, length, dtype=x.dtype).masked_fill(~causal, torch.finfo(x.dtype).min)
    x = x + attention(*(split_heads(t, 4) for t in (q, k, v)), mask) @ wo + bo
    return x + F.gelu(layer_norm(x, g2, b2) @ w1 + c1, approximate="tanh") @ w2 + c2


def gpt2_inputs(x, t, width=192):
    row = f"{width}x{t}"
    return [f"{x}x{width}x{t}", row, row, f"{width}x{3 * width}x{t}", f"{3 * width}x{t}", f"{width}x{width}x{t}",
            row, row, row, f"{width}x{4 * width}x{t}", f"{4 * width}x{t}", f"{4 * width}x{width}x{t}", row]


def gpt2_head(x, g, b, embedding):
    """Returns GPT-2's last norm, tied head and log-probabilities."""
    return F.log_softmax(layer_norm(x, g, b) @ embedding.T, dim=-1)


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def llama_step(heads, x, keys, values, position, frequencies, n1, wq, wk, wv, wo, n2, wg, wu, wd, n3, head):
    """Returns a decoder's step for one token: the greedy token and the new cache.

    The cache is a static one. The token's key and value take the place `position` in it.
    """
    batch, _, width = x.shape
    angle = position.view(-1, 1, 1, 1).float() * frequencies
    angle = torch.cat((angle, angle), dim=-1)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
    h = rms_norm(x, n1)
    q, k, v = (split_heads(F.linear(h, w), heads) for w in (wq, wk, wv))
    q, k = rotate(q, cos, sin), rotate(k, cos, sin)
    places = torch.arange(keys.shape[2])
    here = (places == position.view(-1, 1)).view(-1, 1, keys.shape[2], 1)
    keys, values = torch.where(here, k, keys), torch.where(here, v, values)
    allowed = (places <= position.view(-1, 1)).view(-1, 1, 1, keys.shape[2])
    mask = torch.where(allowed, 0.0, torch.finfo(x.dtype).min).to(x.dtype)
    x = x + F.linear(attention(q, keys, values, mask), wo)
    h = rms_norm(x, n2)
    x = x + F.linear(F.silu(F.linear(h, wg)) * F.linear(h, wu), wd)
    logits = F.linear(rms_norm(x, n3), head)
    return logits.float().argmax(-1), keys, values


def llama_inputs(batch, t, width, heads, inner, vocabulary, cache=128):
    depth = width // heads
    kv, square, row = f"{batch}x{heads}x{cache}x{depth}x{t}", f"{width}x{width}x{t}", f"{width}x{t}"
    up = f"{inner}x{width}x{t}"
    return [f"{batch}x1x{width}x{t}", kv, kv, f"{batch}xi64=100", f"{depth // 2}xf32", row, square, square, square,
            square, row, up, up, f"{width}x{inner}x{t}", row, f"{vocabulary}x{width}x{t}"]


def step_of(heads):
    """Returns the step with its number of heads, and with the parameters that torch.export sees."""
    def step(x, keys, values, position, frequencies, n1, wq, wk, wv, wo, n2, wg, wu, wd, n3, head):
        return llama_step(heads, x, keys, values, position, frequencies, n1, wq, wk, wv, wo, n2, wg, wu, wd, n3, head)
    return step


def cnn_head(x, weight, bias):
    return F.softmax(F.linear(F.adaptive_avg_pool2d(x, 1).flatten(1), weight, bias), dim=-1)


for t in ("f32", "f16"):
    model(f"torch_bert_layer_{t}", "BERT layer: hidden 256, 4 heads, 64 tokens", bert_inputs("1x64", t),
          "1 softmax, 2 layer_norm", bert_layer)
model("torch_bert_layer_f16_dynamic", "BERT layer: hidden 256, 4 heads, 32 tokens, dynamic batch",
      bert_inputs("Bx32", "f16"), "1 softmax, 2 layer_norm", bert_layer)
model("torch_gpt2_block_f32", "GPT-2 block: hidden 192, 4 heads, 32 tokens", gpt2_inputs("1x32", "f32"),
      "2 layer_norm, 1 softmax", gpt2_block)
model("torch_gpt2_block_f16_dynamic", "GPT-2 block: hidden 192, 4 heads, 16 tokens, dynamic batch",
      gpt2_inputs("Bx16", "f16"), "2 layer_norm, 1 softmax", gpt2_block, "linalg-on-tensors")
model("torch_gpt2_head_bf16", "GPT-2's last norm, head and log_softmax",
      ["8x192xbf16", "192xbf16", "192xbf16", "2048x192xbf16"],
      "1 layer_norm, 1 log_softmax", gpt2_head)
STEP = "3 rms_norm, 1 softmax, 1 argmax, 8 dot"
for t in ("f32", "f16", "bf16"):
    model(f"torch_llama_step_{t}", "Llama decoder step: hidden 512, 8 heads, cache 128, one token",
          llama_inputs("1", t, 512, 8, 1024, 4096), STEP, step_of(8))
    model(f"torch_llama_step_{t}_dynamic", "Llama decoder step: hidden 512, 8 heads, cache 128, dynamic batch",
          llama_inputs("B", t, 512, 8, 1024, 4096), STEP.replace(", 8 dot", ""), step_of(8))
model("torch_llama_step_wide_f16", "Llama decoder step: hidden 1024, 8 heads, cache 128, one token",
      llama_inputs("1", "f16", 1024, 8, 1024, 8192), STEP, step_of(8))
model("torch_cnn_head_f32", "global average pool, linear, softmax", ["1x256x7x7xf32", "100x256xf32", "100xf32"],
      "1 mean, 1 dot, 1 softmax", cnn_head)
model("torch_cnn_head_f16_dynamic", "global average pool, linear, softmax, dynamic batch",
      ["Bx256x7x7xf16", "100x256xf16", "100xf16"], "1 mean, 1 softmax", cnn_head)


# The form of iree-turbine: torch-mlir's importer without its passes. The other modules have
# `torch.aten.max.dim` for an argmax, because torch-mlir's passes decompose it.


def sdpa(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def raw(name, what, inputs, rows, function):
    model(f"torch_raw_{name}", what + ", as iree-turbine imports it", inputs, rows, function, "raw")


raw("argmax_vocabulary_f32", "greedy token", ["4x32000xf32"], "1 argmax", lambda x: x.argmax(-1))
raw("argmax_small_vocabulary_f16_dynamic", "greedy token of 4096, dynamic batch", ["Bx4096xf16"], "1 argmax",
    lambda x: x.argmax(-1))
raw("sampler_f32", "gpt-fast's sampler", ["8x4096xf32", "8x4096xf32"], "1 softmax, 1 argmax",
    lambda l, q: (F.softmax(l, -1) / q).argmax(-1, keepdim=True))
raw("softmax_causal_f32", "softmax of two layers' scores with one causal mask", ["8x64x64xf32"] * 2, "2 softmax",
    two_causal_softmaxes)
raw("softmax_scaled_f32", "softmax(x * 0.125)", ["64x2048xf32"], "1 softmax", lambda x: F.softmax(x * 0.125, -1))
raw("softmax_two_dynamic_f16", "softmax in f32 with dynamic batch and sequence", ["BxSx128xf16"], "1 softmax",
    lambda x: F.softmax(x, -1, dtype=torch.float32).to(x.dtype))
raw("rms_norm_bf16_dynamic", "RMSNorm of Hugging Face's Llama, dynamic batch", ["Bx2048xbf16", "2048xbf16"],
    "1 rms_norm", rms_norm)
raw("layer_norm_bf16", "residual and layer norm", ["64x1024xbf16", "64x1024xbf16", "1024xbf16", "1024xbf16"],
    "1 layer_norm", lambda x, r, weight, bias: layer_norm(x + r, weight, bias))
raw("sdpa_f16", "scaled_dot_product_attention of 4 heads and 64 tokens", ["1x4x64x64xf16"] * 3, "1 attention", sdpa)
raw("llama_step_f16", "Llama decoder step: hidden 512, 8 heads, cache 128, one token",
    llama_inputs("1", "f16", 512, 8, 1024, 8000), STEP, step_of(8))
raw("llama_step_f16_dynamic", "Llama decoder step: hidden 512, 8 heads, cache 128, vocabulary 4096, dynamic batch",
    llama_inputs("B", "f16", 512, 8, 1024, 4096), STEP.replace(", 8 dot", ""), step_of(8))
raw("llama_step_bf16_dynamic", "Llama decoder step: hidden 512, 8 heads, cache 128, dynamic batch",
    llama_inputs("B", "bf16", 512, 8, 1024, 8000), STEP.replace(", 8 dot", ""), step_of(8))
