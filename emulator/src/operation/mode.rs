//! The mode that vector operations run in.

/// The bits of the MODE register, with [`Mode::CLAMP`] added where an integer operation saturates, and with the
/// truth table of `v_bitop3`, which the instruction has in place of modifiers, over the exception bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(pub(crate) u32);

impl Mode {
    /// Not a bit of the hardware's register: the instruction asks for saturation.
    pub(crate) const CLAMP: u32 = 1 << 31;
    const TABLE_SHIFT: u32 = 12;

    /// With a truth table of three variables.
    pub(crate) fn with_truth_table(self, table: u8) -> Mode {
        let kept = self.0 & !(0xff << Mode::TABLE_SHIFT);
        Mode(kept | (u32::from(table) << Mode::TABLE_SHIFT))
    }

    #[inline(always)]
    pub(crate) fn truth_table(self) -> u32 {
        (self.0 >> Mode::TABLE_SHIFT) & 0xff
    }
    /// Nor this: the wave has 32 lanes.
    const HALF: u32 = 1 << 30;

    /// The mode of a wave with so many lanes from the bits of its register.
    pub(crate) fn new(bits: u32, lanes: usize) -> Mode {
        let half = if lanes == 32 { Mode::HALF } else { 0 };
        Mode(bits & !(Mode::CLAMP | Mode::HALF) | half)
    }

    /// The bits of the hardware's register.
    pub(crate) fn register(self) -> u32 {
        self.0 & !(Mode::CLAMP | Mode::HALF)
    }

    /// Lanes that a loop runs over.
    #[inline(always)]
    pub(crate) fn lanes(self) -> usize {
        if self.0 & Mode::HALF != 0 { 32 } else { 64 }
    }

    #[inline(always)]
    pub(crate) fn ieee(self) -> bool {
        self.0 & (1 << 9) != 0
    }
    #[inline(always)]
    pub(crate) fn dx10_clamp(self) -> bool {
        self.0 & (1 << 8) != 0
    }
    #[inline(always)]
    pub(crate) fn clamp(self) -> bool {
        self.0 & Mode::CLAMP != 0
    }
    /// Denormal mode of single precision: bit 0 allows denormal inputs, bit 1 denormal results.
    #[inline(always)]
    pub(crate) fn denormals_32(self) -> u32 {
        (self.0 >> 4) & 3
    }
    /// Denormal mode of half and double precision.
    #[inline(always)]
    pub(crate) fn denormals_16_64(self) -> u32 {
        (self.0 >> 6) & 3
    }
}
