//! Parsers of problems and configurations from the command line and from files.

use std::path::Path;

use anyhow::Context;
use configgen::{Configuration, Problem};

use crate::comparator::{self, ComparatorArguments};
use crate::text_file;

/// Parses problems from arguments and from a file: one a line, `#` begins a comment, a tab ends
/// the problem. Without any, returns the problem of the comparator's operation, if there is one.
pub(crate) fn problems(
    texts: &[String],
    file: Option<&Path>,
    comparator: &ComparatorArguments,
) -> anyhow::Result<Vec<Problem>> {
    let given = comparator.read()?;
    let mut problems = Vec::new();
    for text in texts {
        problems.push(comparator::problem(text, given.as_ref())?);
    }
    if let Some(path) = file {
        let text = text_file::read(path)
            .with_context(|| format!("cannot read the problems in {}", path.display()))?;
        for (number, line) in text.lines().enumerate() {
            let problem = line.split(['\t', '#']).next().unwrap_or("").trim();
            if !problem.is_empty() {
                let place = || format!("{}, line {}", path.display(), number + 1);
                let problem = comparator::problem(problem, given.as_ref());
                problems.push(problem.with_context(place)?);
            }
        }
    }
    match given {
        // An empty file of problems means no problem, and not the comparator's.
        Some(given) if problems.is_empty() && file.is_none() => Ok(vec![given.own_problem()?]),
        _ => Ok(problems),
    }
}

/// Parses a configuration from JSON.
pub(crate) fn configuration(json: &str) -> anyhow::Result<Configuration> {
    serde_json::from_str(json).context("the text is not a configuration")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[track_caller]
    fn check(file: &str, expected: Result<&[&str], &str>) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("problems.txt");
        fs::write(&path, file).unwrap();
        let found = problems(&[], Some(&path), &ComparatorArguments::default());
        match (found, expected) {
            (Ok(found), Ok(expected)) => {
                let found: Vec<String> = found.iter().map(Problem::to_string).collect();
                assert_eq!(found, expected);
            }
            (Err(error), Err(part)) => assert!(format!("{error:#}").contains(part), "{error:#}"),
            (found, expected) => panic!("{found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn a_file_of_problems() {
        check(
            "# shapes\nargmax:4x[8]xf32\twhy # not\n\n  argmin:[3]xi32 # one row\r\n",
            Ok(&["argmax:4x[8]xf32:i32", "argmin:[3]xi32:i32"]),
        );
        check(
            "argmax:4x[8]xf32\nargmax:4x[0]xf32\n",
            Err("line 2: problem"),
        );
        check("# nothing\n", Ok(&[]));
        check("\u{feff}argmax:[8]xi32", Ok(&["argmax:[8]xi32:i32"]));
    }
}
