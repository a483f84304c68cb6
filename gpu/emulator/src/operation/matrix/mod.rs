//! Products of matrices, spread over the lanes of a wave.
//!
//! A product is `D = A × B + C`, for one or more independent *blocks*. A has M rows and K columns,
//! and B has K rows and M columns: every instruction has as many columns as rows. [`layout`] has
//! the place of each element, and [`product`] the arithmetic.
//!
//! # Arithmetic
//!
//! AMD publishes neither the order of the additions nor the rounding of their sums. The emulator
//! starts with C and adds the products in ascending k, each with one rounding (fused). A result
//! then differs from any other order by at most `2 K` units in the last place of the sum of the
//! magnitudes. Sums of halves and of bfloat16 are singles, and rounded at the end. These
//! instructions count as approximate, except those of integers. Integers are exact, and wrap or
//! saturate once, at the end.
//!
//! gfx90a flushes denormal sources and results of halves and bfloat16 (ROCm's documentation of
//! MI200, "Numerical accuracy"). All others keep denormals.

mod layout;
mod number;
mod product;

pub(crate) use layout::{MatrixLayout, MatrixSide};
pub(crate) use product::{MatrixAddend, MatrixOperands, multiply};

/// The type of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixElement {
    F64,
    F32,
    /// A single, rounded to 10 bits of fraction before the multiplication.
    Xf32,
    F16,
    Bf16,
    /// An 8-bit float; see [`super::float8`] for the two formats of each kind.
    Fp8,
    Bf8,
    Fp8Fnuz,
    Bf8Fnuz,
    /// Floats of 6 and of 4 bits, without infinities and NaN; see [`super::float6`].
    Fp6,
    Bf6,
    Fp4,
    /// A float of 4 to 8 bits; a modifier of the instruction names its format.
    F8f6f4,
    /// A 32-bit integer.
    I32,
    I8,
    /// A byte or a nibble. A modifier of the instruction makes it signed.
    Iu8,
    Iu4,
}

impl MatrixElement {
    /// Returns the number of bits.
    pub(crate) const fn bits(self) -> u32 {
        match self {
            MatrixElement::F64 => 64,
            MatrixElement::F32 | MatrixElement::Xf32 | MatrixElement::I32 => 32,
            MatrixElement::F16 | MatrixElement::Bf16 => 16,
            MatrixElement::Iu4 | MatrixElement::Fp4 => 4,
            MatrixElement::Fp6 | MatrixElement::Bf6 => 6,
            _ => 8,
        }
    }

    /// Returns true for an integer.
    pub(crate) const fn is_integer(self) -> bool {
        matches!(
            self,
            MatrixElement::I32 | MatrixElement::I8 | MatrixElement::Iu8 | MatrixElement::Iu4
        )
    }

    /// Returns the float with this code in CBSZ or BLGP (CDNA 4 manual, VOP3P-MAI); `None` for
    /// other codes.
    pub(crate) const fn of_format(code: u32) -> Option<MatrixElement> {
        Some(match code {
            0 => MatrixElement::Fp8,
            1 => MatrixElement::Bf8,
            2 => MatrixElement::Fp6,
            3 => MatrixElement::Bf6,
            4 => MatrixElement::Fp4,
            _ => return None,
        })
    }

    /// Returns the type with an unsigned zero, if this 8-bit float has one.
    pub(crate) const fn with_unsigned_zero(self) -> MatrixElement {
        match self {
            // gfx942 has FNUZ formats, and gfx950 and gfx12 have those of OCP.
            MatrixElement::Fp8 => MatrixElement::Fp8Fnuz,
            MatrixElement::Bf8 => MatrixElement::Bf8Fnuz,
            other => other,
        }
    }
}

/// The shape of a product and the types of its elements, the same in every instruction set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatrixShape {
    /// Rows of A and D, and columns of B and D.
    pub(crate) rows: u32,
    /// Columns of A and rows of B. A sparse A holds half of its columns.
    pub(crate) inner: u32,
    pub(crate) blocks: u32,
    pub(crate) to: MatrixElement,
    pub(crate) from: [MatrixElement; 2],
    /// True if A holds two of each four columns, which an index names, and D is also the addend.
    pub(crate) sparse: bool,
}

impl MatrixShape {
    /// Returns the shape of a product of full matrices.
    pub(crate) const fn dense(
        [rows, inner, blocks]: [u32; 3],
        to: MatrixElement,
        from: [MatrixElement; 2],
    ) -> MatrixShape {
        MatrixShape {
            rows,
            inner,
            blocks,
            to,
            from,
            sparse: false,
        }
    }

    /// Returns the shape of a product with a sparse A. It holds two of each four columns.
    pub(crate) const fn sparse(
        [rows, inner]: [u32; 2],
        to: MatrixElement,
        from: [MatrixElement; 2],
    ) -> MatrixShape {
        MatrixShape {
            sparse: true,
            // No sparse instruction has a second block.
            ..MatrixShape::dense([rows, inner, 1], to, from)
        }
    }
}

/// A product of matrices of an instruction set and wave size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MatrixOperation {
    pub(crate) shape: MatrixShape,
    pub(crate) layout: MatrixLayout,
    /// Lanes of the wave.
    pub(crate) lanes: u32,
    /// True if halves and bfloat16 lose denormals.
    pub(crate) flushes: bool,
    pub(crate) modifiers: MatrixModifiers,
}

/// The modifiers of a product. Masks have a bit for A, B and C, from the lowest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct MatrixModifiers {
    /// The number of blocks, as a power of two, that share a block of A.
    pub(crate) broadcast: u32,
    /// The shared block within its group.
    pub(crate) broadcast_block: u32,
    /// The lanes of B that replace others: see [`MatrixLayout`].
    pub(crate) pattern: u32,
    /// Negates the sources; of sources with 16 bits, the elements in lower halves of registers.
    /// Marks the sources of [`MatrixElement::Iu8`] and [`MatrixElement::Iu4`] as signed.
    pub(crate) negate: u32,
    /// Negates the elements in upper halves of registers; the bit of C takes its magnitude.
    pub(crate) negate_high: u32,
    /// True if C and D are the upper halves of their registers.
    pub(crate) upper_half: bool,
    /// The part of the index register in use.
    pub(crate) index_set: u32,
    /// True if integers saturate.
    pub(crate) clamp: bool,
}

impl MatrixOperation {
    /// Returns the number of registers of a lane that hold a source.
    pub(crate) fn source_registers(&self, side: MatrixSide) -> u32 {
        (self.held(side) * self.element(side).bits()).div_ceil(32)
    }

    /// Returns the number of registers of a lane that hold C or D.
    pub(crate) fn result_registers(&self) -> u32 {
        let shape = &self.shape;
        let elements = shape.rows * shape.rows * shape.blocks / self.lanes;
        match self.layout {
            // Each register holds one element, in one of its halves.
            MatrixLayout::Replicated => elements,
            // Two halves share a register, and a double takes two.
            _ => elements * shape.to.bits() / 32,
        }
    }

    /// Returns true if each register of D keeps one of its halves.
    pub(crate) fn keeps_halves(&self) -> bool {
        // gfx12 packs two results of 16 bits into a register; gfx11 does not.
        self.layout == MatrixLayout::Replicated && self.shape.to.bits() == 16
    }

    /// Returns true if the result depends on an order of additions that AMD does not publish.
    pub(crate) fn is_approximate(&self) -> bool {
        // Sums of integers are the same in every order.
        !self.shape.to.is_integer()
    }

    /// Returns the number of parts of an index register.
    pub(crate) fn index_sets(&self) -> u32 {
        // An index has two bits.
        16 / self.held(MatrixSide::A)
    }

    /// Returns true if the factors of the last `v_mfma_ld_scale_b32` apply.
    pub(crate) fn has_factors(&self) -> bool {
        self.is_scalable() && self.modifiers.broadcast_block == 1
    }

    /// Returns true if the sources can have a factor for each lane.
    pub(crate) fn is_scalable(&self) -> bool {
        // Only the products of 4 to 8 bits have these sizes.
        let MatrixShape { rows, inner, .. } = self.shape;
        !self.shape.sparse && rows * inner == 2048
    }

    /// Returns the type of a source's elements.
    pub(crate) fn element(&self, side: MatrixSide) -> MatrixElement {
        // `MatrixSide` has its variants in the order of `from`.
        self.shape.from[side as usize]
    }
}
