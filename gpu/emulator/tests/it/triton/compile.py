"""Compiles Triton's products of matrices without a GPU: compile.py FOLDER TARGET.

For each kernel it writes NAME.hsaco and prints a line: name, element, waves, bytes of dynamic LDS.
"""
import pathlib
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, k, BK):
        left = tl.load(a + rows[:, None] * k + (step + inner)[None, :])
        right = tl.load(b + (step + inner)[:, None] * n + columns[None, :])
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


def main(folder, target):
    lanes = 64 if target.startswith("gfx9") else 32
    for name, element in [("f16", "fp16"), ("bf16", "bf16"), ("e5m2", "fp8e5")]:
        for size, waves in [(64, 4), (32, 1)]:
            signature = {"a": f"*{element}", "b": f"*{element}", "c": "*fp32"}
            signature |= {"m": "i32", "n": "i32", "k": "i32"}
            constants = {"BM": size, "BN": size, "BK": 64}
            signature |= {constant: "constexpr" for constant in constants}
            aligned = {(number,): [["tt.divisibility", 16]] for number in range(6)}
            source = ASTSource(matmul, signature, constants, aligned)
            options = {"num_warps": waves}
            kernel = triton.compile(source, target=GPUTarget("hip", target, lanes), options=options)
            file = f"{name}_{size}"
            pathlib.Path(folder, file + ".hsaco").write_bytes(kernel.asm["hsaco"])
            print(file, name, waves * lanes, kernel.metadata.shared, size)


main(*sys.argv[1:])
