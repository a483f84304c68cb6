//! The mode of vector operations.

/// The bits of the MODE register, with extra bits. [`Mode::CLAMP`] marks a saturating integer
/// operation. The truth table of `v_bitop3` replaces the exception bits, because that instruction
/// has it instead of modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode(pub(crate) u32);

impl Mode {
    /// A bit outside the hardware's register: the instruction requests saturation.
    pub(crate) const CLAMP: u32 = 1 << 31;
    /// The bit FP16_OVFL of the hardware's register.
    pub(crate) const LIMITS_HALVES: u32 = 1 << 23;
    const TABLE_SHIFT: u32 = 12;

    /// Returns the mode with a truth table of three variables.
    pub(crate) fn with_truth_table(self, table: u8) -> Mode {
        let kept = self.0 & !(0xff << Mode::TABLE_SHIFT);
        Mode(kept | (u32::from(table) << Mode::TABLE_SHIFT))
    }

    #[inline(always)]
    pub(crate) fn truth_table(self) -> u32 {
        (self.0 >> Mode::TABLE_SHIFT) & 0xff
    }
    /// Another bit outside the hardware's register: the wave has 32 lanes.
    const HALF: u32 = 1 << 30;

    /// Creates the mode of a wave with `lanes` lanes from its register.
    pub(crate) fn new(bits: u32, lanes: usize) -> Mode {
        let half = if lanes == 32 { Mode::HALF } else { 0 };
        Mode(bits & !(Mode::CLAMP | Mode::HALF) | half)
    }

    /// Returns the bits of the hardware's register.
    pub(crate) fn register(self) -> u32 {
        self.0 & !(Mode::CLAMP | Mode::HALF)
    }

    /// Returns the number of lanes of a loop.
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
    /// Returns true if an overflow to a half or an 8-bit float gives the largest number
    /// (FP16_OVFL).
    #[inline(always)]
    pub(crate) fn limits_halves(self) -> bool {
        self.0 & Mode::LIMITS_HALVES != 0
    }
    /// Returns the denormal mode of single precision: bit 0 allows denormal inputs, bit 1
    /// denormal results.
    #[inline(always)]
    pub(crate) fn denormals_32(self) -> u32 {
        (self.0 >> 4) & 3
    }
    /// Returns the denormal mode of half and double precision.
    #[inline(always)]
    pub(crate) fn denormals_16_64(self) -> u32 {
        (self.0 >> 6) & 3
    }
}
