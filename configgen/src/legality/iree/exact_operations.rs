//! Which operations of `arith` and `math` IREE's kernels compute as MLIR says.

use crate::comparator::Opcode;

/// Whether IREE's kernels compute an operation to the bit, whatever its operands.
///
/// Not so: of a float that has no integer, LLVM's conversion gives any; a shift by the width or more gives any bits and a
/// division by 0 anything; IREE makes of all maxima and minima of floats `llvm.maxnum` and `llvm.minnum`, whatever they
/// are to do with NaN. Of remainders and signs of floats no order was found that could be tried.
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
