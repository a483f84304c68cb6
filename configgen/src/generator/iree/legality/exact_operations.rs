//! The operations of `arith` and `math` that IREE's kernels compute exactly as MLIR defines them.

use crate::comparator::Opcode;

/// Returns whether IREE's kernels compute an operation to the bit, for all operands.
///
/// The following operations differ:
///
/// - LLVM's conversion of a float without an integer counterpart gives any integer.
/// - A shift by the width or more gives any bits, and a division by 0 anything.
/// - IREE lowers all maxima and minima of floats to `llvm.maxnum` and `llvm.minnum`, whatever
///   their rule for NaN.
///
/// No comparator with remainders or signs of floats proved to be an order, so those were never
/// tried.
pub(super) fn is_established(opcode: Opcode) -> bool {
    use Opcode::*;
    match opcode {
        Constant(_) | Cmpf(_) | Cmpi(_) | Select | Bitcast => true,
        Addf | Subf | Mulf | Divf | Fma | Negf | Absf | Sqrt | Extf | Truncf => true,
        Addi | Subi | Muli | Maxsi | Maxui | Minsi | Minui | Andi | Ori | Xori | Absi => true,
        Extsi | Extui | Trunci | Sitofp | Uitofp => true,
        Remf | Maximumf | Minimumf | Maxnumf | Minnumf | Copysign => false,
        Exp | Log | Rsqrt => false,
        Floor | Ceil | Trunc | Round | Roundeven | Ctpop | Ctlz | Cttz => false,
        Ceildivsi | Ceildivui | Floordivsi => false,
        Divsi | Divui | Remsi | Remui | Shli | Shrsi | Shrui | Fptosi | Fptoui => false,
    }
}
