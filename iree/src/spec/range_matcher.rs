//! Matchers of ranges: their names and the statements that bound sizes.

use std::fmt::{self, Display, Formatter};

use super::matcher::{operation_matched, types};
use crate::arg_compare_operation::ArgCompareOperation;
use configgen::{ArgCompare, Problem, Range};

/// Returns the statements that require the sizes of `%op` to be in a range, if they vary there.
///
/// They hold only for sizes that the module knows. IREE 3.13.0 proves no bounds of an open size,
/// even if the module asserts some.
fn sizes_matched(range: &Range) -> impl Display {
    fmt::from_fn(move |f| {
        writeln!(
            f,
            "    %sized = transform.get_operand %op[0] : (!transform.any_op) -> !transform.any_value"
        )?;
        for (d, sizes) in range.dimensions().iter().enumerate() {
            let (least, most, divisor) = (sizes.least, sizes.most, sizes.divisor);
            // The type in the matched operation already fixes a size that does not vary.
            if !sizes.vary() {
                continue;
            }
            writeln!(
                f,
                "    transform.iree.match.dim_bounds %sized[{d}], umin = {least}, umax = {most} : !transform.any_value"
            )?;
            if divisor > 1 {
                writeln!(
                    f,
                    "    transform.iree.match.dim_is_multiple_of %sized[{d}], {divisor} : !transform.any_value"
                )?;
            }
        }
        Ok(())
    })
}

/// A unique symbol name of a range: `argmax_4to6by2xr4096to8192by1024xf32_i32`.
///
/// Its style is that of [`MatcherName`](super::matcher::MatcherName).
pub(super) struct RangeMatcherName<'a>(pub(super) &'a Range, pub(super) &'a ArgCompare);

impl Display for RangeMatcherName<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let RangeMatcherName(range, arg_compare) = self;
        write!(f, "{}_", arg_compare.comparator.symbol())?;
        for (d, sizes) in range.dimensions().iter().enumerate() {
            if range.tuned().shape.is_reduced(d) {
                f.write_str("r")?;
            }
            match sizes.vary() {
                true => write!(f, "{}to{}by{}x", sizes.least, sizes.most, sizes.divisor)?,
                false => write!(f, "{}x", sizes.least)?,
            }
        }
        write!(f, "{}", types(range.tuned(), arg_compare))
    }
}

/// Returns the statements that match an `arg_compare`.
pub(super) fn of_operation(problem: &Problem, range: Option<&Range>) -> Result<String, fmt::Error> {
    let operation = ArgCompareOperation::of(problem).map_err(|_| fmt::Error)?;
    let (operation, sizes) = match range {
        Some(range) => {
            let vary = |d: usize| range.dimensions()[d].vary();
            (operation.of_any(vary), sizes_matched(range).to_string())
        }
        None => (operation, String::new()),
    };
    Ok(format!("{}{sizes}", operation_matched(&operation)))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ROW, pipeline, target};
    use crate::spec::{Spec, SpecEntry};
    use configgen::{Pipeline, Problem, Range};

    /// Returns the range from a tuned problem to another one.
    fn range(tuned: &Problem, other: &str, pipeline: &Pipeline) -> Range {
        let Pipeline::VectorDistribute(configuration) = pipeline else {
            panic!("it has no ranges");
        };
        let other = other.parse().unwrap();
        let range = Range::between(tuned, &other, target(), configuration);
        range.unwrap().unwrap()
    }

    /// Checks that ranges come after shapes and before open sizes, in the order of the entries.
    #[test]
    fn golden() {
        let row = pipeline(ROW);
        let rows = pipeline(&ROW.replace("\"workgroup\": [1, 0]", "\"workgroup\": [2, 0]"));
        let [open, tuned, explicit]: [Problem; 3] = [
            "argmax:?x[4096]xf32",
            "argmax:4x[4096]xf32",
            "argmin:4x[8192]xf64:i64:explicit_index",
        ]
        .map(|text| text.parse().unwrap());
        let ranges = [
            (&explicit, "argmin:4x[4096]xf64:i64:explicit_index", &row),
            (&tuned, "argmax:6x[8192]xf32", &rows),
            (&tuned, "argmax:6x[8192]xf32", &row),
        ]
        .map(|(tuned, other, pipeline)| (range(tuned, other, pipeline), pipeline));
        let shapes = [(&open, &row), (&tuned, &row)];
        let shapes = shapes.map(|(problem, pipeline)| SpecEntry {
            problem,
            range: None,
            pipeline,
            provenance: "7.5 us",
        });
        let of_ranges = ranges.iter().map(|(range, pipeline)| SpecEntry {
            problem: range.tuned(),
            range: Some(range),
            pipeline,
            provenance: "7.5 us, right on 7 samples",
        });
        let entries: Vec<SpecEntry<'_>> = of_ranges.chain(shapes).collect();
        let spec = Spec::new(target(), "iree-compile 3.13.0", &entries).unwrap();
        expect_test::expect_file!["ranges.mlir"].assert_eq(&spec.to_string());
        let twice = [entries[0].clone(), entries[0].clone()];
        let error = Spec::new(target(), "", &twice).unwrap_err();
        assert_eq!(
            error.to_string(),
            "argmin:4x[4096..8192 by 1024]xf64:i64:explicit_index: two configurations for one operation"
        );
    }
}
