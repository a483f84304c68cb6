"""Modules that jax.export writes as StableHLO."""

import functools

import jax
import jax.export
import jax.numpy as jnp

import catalogue

TYPES = {"f32": jnp.float32, "f16": jnp.float16, "bf16": jnp.bfloat16, "i32": jnp.int32, "i8": jnp.int8}


def export(name, function, inputs):
    """Returns the StableHLO of a function, whose dynamic sizes are symbols."""
    parsed = [catalogue.Input(spec) for spec in inputs]
    names = sorted({d for i in parsed for d in i.dims if isinstance(d, str)})
    sizes = dict(zip(names, jax.export.symbolic_shape(",".join(n.lower() for n in names)))) if names else {}
    shapes = [jax.ShapeDtypeStruct(tuple(i.shape(**sizes)), TYPES[i.type]) for i in parsed]
    function.__name__ = name
    return jax.export.export(jax.jit(function), platforms=["rocm"])(*shapes).mlir_module()


def model(name, what, inputs, rows, function):
    catalogue.add(name, "jax", what, inputs, rows, functools.partial(export, name, function, inputs), "main")


def causal_softmax(scores):
    mask = jnp.tril(jnp.ones(scores.shape[-2:], bool))
    return jax.nn.softmax(jnp.where(mask, scores, -1e9), -1)


def layer_norm(x, weight, bias):
    mean = jnp.mean(x, -1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * weight + bias


def flax_layer_norm(x, scale, bias):
    """Returns flax.linen.LayerNorm: E[x^2] - E[x]^2 in f32, rounded at its end."""
    wide = x.astype(jnp.float32)
    mean = jnp.mean(wide, -1, keepdims=True)
    variance = jnp.maximum(0.0, jnp.mean(wide * wide, -1, keepdims=True) - mean * mean)
    factor = jax.lax.rsqrt(variance + 1e-6) * scale.astype(jnp.float32)
    return ((wide - mean) * factor + bias.astype(jnp.float32)).astype(x.dtype)


def rms_norm(x, weight):
    wide = x.astype(jnp.float32)
    wide = wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)
    return wide.astype(x.dtype) * weight


def residual_rms_norm(x, residual, weight):
    """Returns the norm of a sum, and the sum, which a model adds to again."""
    total = x + residual
    return rms_norm(total, weight), total


def quantised_rms_norm(x, weight):
    """Returns an RMS norm in i8, with the scale of each row."""
    normed = rms_norm(x, weight)
    scale = jnp.maximum(jnp.max(jnp.abs(normed), -1, keepdims=True), 1e-5) / 127
    return jnp.clip(jnp.round(normed / scale), -128, 127).astype(jnp.int8), scale


def narrow_rms_norm(x, weight):
    """Returns an RMS norm in the 8-bit float of gfx942, with the scale of each row."""
    normed = rms_norm(x, weight)
    scale = jnp.maximum(jnp.max(jnp.abs(normed), -1, keepdims=True), 1e-5) / 240
    return (normed / scale).astype(jnp.float8_e4m3fnuz), scale


def gumbel_sample(logits, uniform):
    """Returns jax.random.categorical's sample, with its uniform noise as an argument."""
    return jnp.argmax(logits - jnp.log(-jnp.log(uniform)), -1)


def cross_entropy(logits, labels):
    """Returns the mean of optax.softmax_cross_entropy, with labels as one-hot rows."""
    one_hot = jax.nn.one_hot(labels, logits.shape[-1], dtype=logits.dtype)
    return jnp.mean(-jnp.sum(one_hot * jax.nn.log_softmax(logits, -1), -1))


def cross_entropy_of_labels(logits, labels):
    """Returns each row's loss and normaliser, with the z loss of large language models."""
    wide = logits.astype(jnp.float32)
    normaliser = jax.nn.logsumexp(wide, -1)
    at_label = jnp.take_along_axis(wide, labels[:, None], -1)[:, 0]
    return normaliser - at_label + 1e-4 * normaliser * normaliser, normaliser


def decoder_step(x, keys, values, position, n1, wq, wk, wv, wo, n2, wg, wu, wd, n3, head):
    """Returns the greedy token and the new cache of a decoder's step for one token."""
    batch, heads, cache, depth = keys.shape
    frequencies = 1.0 / (10000.0 ** (jnp.arange(0, depth, 2, dtype=jnp.float32) / depth))
    angle = position[0].astype(jnp.float32) * frequencies
    cos, sin = (jnp.tile(f(angle), 2).astype(x.dtype) for f in (jnp.cos, jnp.sin))

    def rotate(y):
        first, second = jnp.split(y, 2, -1)
        return y * cos + jnp.concatenate((-second, first), -1) * sin

    h = rms_norm(x, n1)
    q, k, v = (jnp.dot(h, w).reshape(batch, heads, 1, depth) for w in (wq, wk, wv))
    q, k = rotate(q), rotate(k)
    keys = jax.lax.dynamic_update_slice(keys, k, (0, 0, position[0], 0))
    values = jax.lax.dynamic_update_slice(values, v, (0, 0, position[0], 0))
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, keys).astype(jnp.float32) / depth**0.5
    scores = jnp.where(jnp.arange(cache) <= position[0], scores, -1e9)
    weights = jax.nn.softmax(scores, -1).astype(x.dtype)
    mixed = jnp.einsum("bhqk,bhkd->bqhd", weights, values).reshape(batch, heads * depth)
    x = x + jnp.dot(mixed, wo)
    h = rms_norm(x, n2)
    x = x + jnp.dot(jax.nn.silu(jnp.dot(h, wg)) * jnp.dot(h, wu), wd)
    logits = jnp.dot(rms_norm(x, n3), head)
    return jnp.argmax(logits.astype(jnp.float32), -1), keys, values


def rotary_embedding(x, cos, sin):
    first, second = jnp.split(x, 2, -1)
    return jnp.concatenate([first * cos - second * sin, second * cos + first * sin], -1)


def scanned_layers(x, weight):
    def layer(x, _):
        y = jax.nn.log_softmax(jax.nn.softmax(rms_norm(x, weight), -1) + x, -1)
        y = jax.nn.standardize(y)
        return y, jnp.argmax(y, -1)

    x, tokens = jax.lax.scan(layer, x, None, length=6)
    return jnp.argmax(jax.nn.softmax(x, -1), -1), tokens


def decoder_inputs(t, width=512, heads=8, inner=1024, vocabulary=4096, cache=128):
    kv, square, row = f"1x{heads}x{cache}x{width // heads}x{t}", f"{width}x{width}x{t}", f"{width}x{t}"
    up = f"{width}x{inner}x{t}"
    return [f"1x{width}x{t}", kv, kv, "1xi32=100", row, square, square, square, square, row, up, up,
            f"{inner}x{width}x{t}", row, f"{width}x{vocabulary}x{t}"]


model("jax_softmax_f32", "softmax(x * 0.125)", ["1024x2048xf32"], "1 softmax", lambda x: jax.nn.softmax(x * 0.125, -1))
model("jax_softmax_bf16", "softmax of bf16 rows", ["64x1024xbf16"], "1 softmax", lambda x: jax.nn.softmax(x, -1))
model("jax_causal_softmax_f32", "softmax of scores with a causal mask", ["8x128x128xf32"], "1 softmax",
      causal_softmax)
model("jax_log_softmax_f32", "log_softmax", ["64x4096xf32"], "1 log_softmax", lambda x: jax.nn.log_softmax(x, -1))
model("jax_layer_norm_var_f32", "layer norm with jnp.var", ["256x1024xf32", "1024xf32", "1024xf32"], "1 layer_norm",
      layer_norm)
model("jax_layer_norm_var_bf16", "layer norm with jnp.mean and jnp.var, both rounded to bf16",
      ["256x4096xbf16", "4096xbf16", "4096xbf16"], "1 layer_norm", layer_norm)
model("jax_layer_norm_flax_bf16", "layer norm of flax", ["1024x2048xbf16", "2048xbf16", "2048xbf16"], "1 layer_norm",
      flax_layer_norm)
model("jax_rms_norm_f32", "RMSNorm", ["64x768xf32", "768xf32"], "1 rms_norm", rms_norm)
model("jax_rms_norm_bf16", "RMSNorm, rounded before the weight", ["1024x4096xbf16", "4096xbf16"],
      "1 rms_norm", rms_norm)
model("jax_logsumexp_f32", "logsumexp", ["64x4096xf32"], "1 logsumexp", lambda x: jax.nn.logsumexp(x, -1))
model("jax_argmax_f32", "greedy token", ["8x32000xf32"], "1 argmax", lambda x: jnp.argmax(x, -1))
model("jax_sum_f32_dynamic", "sum of squares of each row, dynamic batch", ["Bx4096xf32"], "1 square_sum",
      lambda x: jnp.sum(x * x, -1))
model("jax_categorical_f32", "categorical sampling with Gumbel noise", ["8x4096xf32", "8x4096xf32"], "1 argmax",
      gumbel_sample)
model("jax_cross_entropy_f32", "cross entropy with one-hot labels", ["32x1000xf32", "32xi32=5"],
      "1 log_softmax, 1 sum, 1 mean", cross_entropy)
model("jax_cross_entropy_labels_bf16", "cross entropy with z loss of bf16 logits and integer labels, and log-sum-exp",
      ["32x4096xbf16", "32xi32=5"], "1 log_softmax", cross_entropy_of_labels)
model("jax_standardize_f32", "jax.nn.standardize", ["64x4096xf32"], "1 standardize", lambda x: jax.nn.standardize(x))
model("jax_min_max_f32", "least and greatest element", ["64x4096xf32"], "1 min, 1 max",
      lambda x: (jnp.min(x, -1), jnp.max(x, -1)))
model("jax_residual_rms_norm_bf16", "RMSNorm of a sum, with the sum",
      ["256x2048xbf16", "256x2048xbf16", "2048xbf16"], "1 rms_norm", residual_rms_norm)
model("jax_rms_norm_quantised_i8", "RMSNorm quantised per row, with the scales", ["64x4096xf32", "4096xf32"],
      "1 rms_norm, 1 max", quantised_rms_norm)
model("jax_rms_norm_quantised_f8", "RMSNorm quantised per row to f8, with the scales", ["64x4096xf32", "4096xf32"],
      "1 rms_norm, 1 max", narrow_rms_norm)
model("jax_scan_f32", "six layers of one loop: RMSNorm, softmax with a residual, standardised log_softmax, argmax",
      ["64x2048xf32", "2048xf32"], "1 rms_norm, 2 softmax, 1 log_softmax, 1 standardize, 2 argmax", scanned_layers)
model("jax_rope_f32", "rotary embedding in halves: 32 tokens, 8 heads", ["1x32x8x128xf32", "1x32x1x64xf32", "1x32x1x64xf32"],
      "-", rotary_embedding)
model("jax_cache_append_bf16", "a token's key behind the cache", ["1x8x63x128xbf16", "1x8x1x128xbf16"], "-",
      lambda cache, key: jnp.concatenate([cache, key], 2))
for t in ("f32", "f16"):
    model(f"jax_decoder_step_{t}", "decoder step: hidden 512, 8 heads, cache 128, one token", decoder_inputs(t),
          "3 rms_norm, 1 softmax, 1 argmax, 8 dot", decoder_step)
