//! Sizes of a tensor in the words of problems.
//!
//! Dimensions of size 1 before one whose size is known at launch only are left out, `tensor<1x?x768xf32>` is `?x768xf32`: no place depends
//! on them, and of a problem the outermost size alone is open.

/// The sizes of a problem, `?x[768]x`, and how many outer dimensions of a tensor it leaves out.
pub(super) struct ProblemSizes {
    pub(super) text: String,
    left_out: usize,
}

impl ProblemSizes {
    /// Those of a tensor, of which some dimensions are reduced.
    ///
    /// # Errors
    /// The dimension whose size is known at launch only, where no problem has that.
    pub(super) fn of(
        sizes: &[Option<u64>],
        is_reduced: impl Fn(usize) -> bool,
    ) -> Result<ProblemSizes, Dynamic> {
        let first = sizes.iter().position(|size| *size != Some(1));
        let left_out = match first {
            Some(d) if sizes[d].is_none() && !(0..d).any(&is_reduced) => d,
            _ => 0,
        };
        let mut text = String::new();
        for (d, size) in sizes.iter().enumerate().skip(left_out) {
            text += &match (size, is_reduced(d)) {
                (Some(size), true) => format!("[{size}]x"),
                (Some(size), false) => format!("{size}x"),
                (None, false) if d == left_out => "?x".to_owned(),
                (None, _) => return Err(Dynamic(d)),
            };
        }
        Ok(ProblemSizes { text, left_out })
    }

    /// The problem's dimension that this one of the tensor is; none of one that is left out.
    pub(super) fn dimension(&self, d: usize) -> Option<usize> {
        d.checked_sub(self.left_out)
    }
}

/// A dimension whose size is known at launch only.
pub(super) struct Dynamic(pub(super) usize);

impl Dynamic {
    /// What is wrong with it; `of` says of which tensor, if several are about.
    pub(super) fn message(&self, of: &str) -> String {
        format!(
            "dimension {}{of} is dynamic; only the outermost one may be, and only if it is parallel",
            self.0
        )
    }
}
