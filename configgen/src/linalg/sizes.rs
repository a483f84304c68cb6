//! The sizes of a problem from those of a tensor.
//!
//! Dimensions of size 1 before an open size are omitted: `tensor<1x?x768xf32>` becomes
//! `?x768xf32`. No address depends on them, and only the outermost size of a problem may be open.
//! A row program joins other dimensions up to the last open one: `tensor<?x8x?x768xf32>` becomes
//! `?x768xf32`, too.

/// The sizes of a problem, `?x[768]x`, with the outer dimensions that are omitted or joined.
pub(super) struct ProblemSizes {
    pub(super) text: String,
    left_out: usize,
    /// The dimensions of other sizes than 1 that are one in the problem. Empty if none is joined.
    joined: Vec<usize>,
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
        Ok(ProblemSizes {
            text,
            left_out,
            joined: Vec::new(),
        })
    }

    /// Returns the sizes of a problem with the product of all sizes up to the last open one as its
    /// outermost size.
    ///
    /// # Errors
    /// Returns an open dimension that is reduced, or that is behind a reduced one.
    pub(super) fn joined(
        sizes: &[Option<u64>],
        is_reduced: impl Fn(usize) -> bool,
    ) -> Result<ProblemSizes, Dynamic> {
        let d = match ProblemSizes::of(sizes, &is_reduced) {
            Ok(found) => return Ok(found),
            Err(Dynamic(d)) => d,
        };
        let last = sizes.iter().rposition(Option::is_none).unwrap_or(d);
        if (0..=last).any(&is_reduced) {
            return Err(Dynamic(d));
        }
        let is_reduced_behind = |d: usize| d > 0 && is_reduced(d + last);
        let behind = [&[None], &sizes[last + 1..]].concat();
        let text = ProblemSizes::of(&behind, is_reduced_behind)?.text;
        Ok(ProblemSizes {
            text,
            left_out: last,
            joined: (0..=last).filter(|&d| sizes[d] != Some(1)).collect(),
        })
    }

    /// Returns the problem's dimensions for these of the tensor. Omitted ones are missing.
    ///
    /// The result is none if only a part of the joined dimensions is there, or in another order.
    pub(super) fn dimensions(&self, of: &[usize]) -> Option<Vec<usize>> {
        let problem_dimension = |d: &usize| d.checked_sub(self.left_out);
        let Some(place) = of.iter().position(|d| self.joined.contains(d)) else {
            return Some(of.iter().filter_map(problem_dimension).collect());
        };
        let (before, joined) = of.split_at(place);
        let behind = joined.strip_prefix(&self.joined[..])?;
        let before = before.iter().filter_map(problem_dimension);
        let behind = behind.iter().filter_map(problem_dimension);
        Some(before.chain([0]).chain(behind).collect())
    }
}

/// A dimension with an open size.
pub(super) struct Dynamic(pub(super) usize);

impl Dynamic {
    /// Returns the error message; `of` names the tensor if there are several.
    pub(super) fn message(&self, of: &str) -> String {
        format!(
            "dimension {}{of} is dynamic; only the outermost one may be, and only if it is parallel",
            self.0
        )
    }
}
