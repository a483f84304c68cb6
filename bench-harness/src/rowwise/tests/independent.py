"""Evaluates row programs in f64, without wavetune's code.

Each line of the standard input is a JSON list: the program's text, the type of each input, the dimensions with indices,
and for each row the elements of each input and the indices as the bits of f32 numbers. The answer is a line with the
bits of f64 numbers: for each row, the elements of each result.

Each operation is computed in f64 and rounded once to its type. A sum is rounded at its end.
"""

import array
import json
import math
import struct
import sys

MOST = 2.0**128 - 2.0**103
# Python's division, roots and logarithms raise exceptions for results of IEEE arithmetic.
INF, NAN = math.inf, math.nan


def to_bf16(x):
    if x == 0 or not math.isfinite(x):
        return x
    fraction, exponent = math.frexp(x)
    # 8 digits, and fewer below the least normal number.
    digits = min(8, exponent + 133)
    rounded = math.ldexp(round(math.ldexp(fraction, digits)), exponent - digits)
    return math.copysign(INF if abs(rounded) >= 2.0**128 else rounded, x)


def to_f16(x):
    try:
        return struct.unpack("e", struct.pack("e", x))[0]
    except OverflowError:
        return math.copysign(INF, x)


def to_f32(x):
    return math.copysign(INF, x) if abs(x) >= MOST else struct.unpack("f", struct.pack("f", x))[0]


def to_i8(x):
    return 0.0 if x != x else float(math.trunc(max(-128.0, min(127.0, x))))


def to_i32(x):
    return (x + 2.0**31) % 2.0**32 - 2.0**31


ROUND = {"f32": to_f32, "f16": to_f16, "bf16": to_bf16, "i8": to_i8, "i1": float, "i32": to_i32}
for narrow in ("f8E4M3FNUZ", "f8E5M2", "f8E4M3FN", "f8E5M2FNUZ"):
    # The caller rounds results of 8 bits.
    ROUND[narrow] = float


class V:
    """The values of one expression, for all elements of a row or once for the row."""

    def __init__(self, kind, values):
        self.kind, self.values = kind, values

    def with_function(self, function):
        after = ROUND[self.kind]
        return V(self.kind, [after(function(x)) for x in self.values])

    def both(self, other, function, kind=None):
        if not isinstance(other, V):
            other = number(self.kind, other)
        kind = kind or self.kind
        count = max(len(self.values), len(other.values))
        one, two = (v.values * count if len(v.values) == 1 else v.values for v in (self, other))
        after = ROUND[kind]
        return V(kind, [after(function(x, y)) for x, y in zip(one, two)])

    def reverse(self, other, function):
        return number(self.kind, other).both(self, function)

    def __add__(self, other):
        return self.both(other, lambda x, y: x + y)

    def __radd__(self, other):
        return self.reverse(other, lambda x, y: x + y)

    def __sub__(self, other):
        return self.both(other, lambda x, y: x - y)

    def __rsub__(self, other):
        return self.reverse(other, lambda x, y: x - y)

    def __mul__(self, other):
        return self.both(other, lambda x, y: x * y)

    def __rmul__(self, other):
        return self.reverse(other, lambda x, y: x * y)

    def __truediv__(self, other):
        return self.both(other, quotient)

    def __rtruediv__(self, other):
        return self.reverse(other, quotient)

    def __neg__(self):
        return V(self.kind, [-x for x in self.values])

    def __lt__(self, other):
        return self.both(other, lambda x, y: x < y, "i1")

    def __le__(self, other):
        return self.both(other, lambda x, y: x <= y, "i1")

    def __gt__(self, other):
        return self.both(other, lambda x, y: x > y, "i1")

    def __ge__(self, other):
        return self.both(other, lambda x, y: x >= y, "i1")

    def __eq__(self, other):
        return self.both(other, lambda x, y: x == y, "i1")

    def __ne__(self, other):
        return self.both(other, lambda x, y: x != y, "i1")


def number(kind, x):
    return V(kind, [ROUND[kind](float(x))])


def quotient(x, y):
    if y != 0:
        return x / y
    return NAN if x == 0 or x != x else math.copysign(INF, x) * math.copysign(1.0, y)


def maximum(x, y):
    return NAN if x != x or y != y else greater(x, y)


def greater(x, y):
    if x == y == 0:
        return y if math.copysign(1.0, x) < 0 else x
    return y if x != x or y > x else x


def negated(function):
    return lambda x, y: -function(-x, -y)


def checked(function, at_edge):
    def of(x):
        try:
            return function(x)
        except (OverflowError, ValueError):
            return at_edge(x)

    return of


def rounded_with(function):
    return lambda x: x if not math.isfinite(x) else math.copysign(float(function(x)), x)


def logarithm(function, least):
    return checked(function, lambda x: -INF if x == least else NAN)


root = checked(math.sqrt, lambda x: NAN)
FUNCTIONS = {
    "abs": abs,
    "absi": abs,
    "sqrt": root,
    "rsqrt": lambda x: quotient(1.0, root(x)),
    "floor": rounded_with(math.floor),
    "ceil": rounded_with(math.ceil),
    "trunc": rounded_with(math.trunc),
    "roundeven": rounded_with(round),
    "exp": checked(math.exp, lambda x: INF),
    "exp2": checked(lambda x: 2.0**x, lambda x: INF),
    "expm1": checked(math.expm1, lambda x: INF),
    "log": logarithm(math.log, 0),
    "log2": logarithm(math.log2, 0),
    "log1p": logarithm(math.log1p, -1),
    "tanh": math.tanh,
    "erf": math.erf,
    "sin": checked(math.sin, lambda x: NAN),
    "cos": checked(math.cos, lambda x: NAN),
}
COMBINERS = {"max": maximum, "min": negated(maximum), "maxnum": greater, "minnum": negated(greater)}
COMBINERS.update({"maxsi": max, "minsi": min})


def folded(function):
    def of(*values):
        if len(values) == 2:
            one, two = values
            one = one if isinstance(one, V) else number(two.kind, one)
            return one.both(two, function)
        [one] = values
        result = one.values[0]
        for x in one.values[1:]:
            result = function(result, x)
        return V(one.kind, [result])

    return of


def added(one):
    return V("f32", [to_f32(sum(one.values))])


def at(one, position=0):
    position = int(position.values[0] if isinstance(position, V) else position)
    inside = 0 <= position < len(one.values)
    return V(one.kind, [one.values[position] if inside else 0.0])


def select(condition, one, two):
    kind = one.kind if isinstance(one, V) else two.kind
    one, two = (v if isinstance(v, V) else number(kind, v) for v in (one, two))
    count = max(len(v.values) for v in (condition, one, two))
    c, x, y = (v.values * count if len(v.values) == 1 else v.values for v in (condition, one, two))
    return V(kind, [x if c else y for c, x, y in zip(c, x, y)])


def conversion(kind):
    def of(x):
        if not isinstance(x, V):
            return number(kind, x)
        # Integers become narrow floats by way of f32.
        values = [to_f32(v) for v in x.values] if x.kind == "i32" else x.values
        return V(kind, [ROUND[kind](v) for v in values])

    return of


NAMES = {"at": at, "sum": added, "select": select, "inf": INF, "nan": NAN}
NAMES.update({name: (lambda f: lambda x: x.with_function(f))(f) for name, f in FUNCTIONS.items()})
NAMES.update({name: folded(f) for name, f in COMBINERS.items()})
NAMES.update({kind: conversion(kind) for kind in ROUND})


def results(text, kinds, dimensions, inputs):
    names = dict(NAMES)
    numbers = [list(array.array("f", array.array("I", bits).tobytes())) for bits in inputs]
    indices = dict(zip(dimensions, numbers[len(kinds):]))
    names["index"] = lambda dimension: V("i32", indices[dimension])
    for number_of, (kind, values) in enumerate(zip(kinds, numbers)):
        # Truth values are numbers with a sign at the caller.
        values = [abs(v) for v in values] if kind == "i1" else values
        names[f"x{number_of or ''}"] = V(kind, values)
    *statements, outputs = text.split(";")
    for statement in statements:
        exec(statement, names)
    return eval(f"[{outputs}]", names)


for line in sys.stdin:
    text, kinds, dimensions, rows = json.loads(line)
    answer = [
        [list(array.array("Q", array.array("d", v.values).tobytes())) for v in results(text, kinds, dimensions, row)]
        for row in rows
    ]
    print(json.dumps(answer), flush=True)
