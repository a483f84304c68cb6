//! The sizes of a problem from those of a tensor.
//!
//! Dimensions of size 1 before an open size are omitted: `tensor<1x?x768xf32>` becomes
//! `?x768xf32`. No address depends on them, and only the outermost size of a problem may be open.

/// The sizes of a problem, `?x[768]x`, and the number of omitted outer dimensions.
pub(super) struct ProblemSizes {
    pub(super) text: String,
    left_out: usize,
}

impl ProblemSizes {
    /// Returns the sizes of a problem from those of a tensor.
    ///
    /// # Errors
    /// Returns the dimension with an open size, if no problem allows that.
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

    /// Returns the problem's dimension for this one of the tensor, or none if it is omitted.
    pub(super) fn dimension(&self, d: usize) -> Option<usize> {
        d.checked_sub(self.left_out)
    }
}

/// A dimension with an open size.
pub(super) struct Dynamic(pub(super) usize);

impl Dynamic {
    /// Returns the error message; `of` names the tensor if there are several.
    pub(super) fn message(&self, of: &str) -> String {
        format!(
            "dimension {}{of} is dynamic; only the outermost one may be, where it is parallel",
            self.0
        )
    }
}
