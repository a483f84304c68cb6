//! `--operation`: a problem in a file of MLIR, as a `linalg.generic` or a `linalg.reduce`.

use std::path::Path;

use anyhow::{Context, anyhow};
use configgen::{Problem, linalg};

use crate::text_file;

/// Reads the problem from the only reduction of this file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Problem> {
    let text = text_file::read(path)
        .with_context(|| format!("cannot read the operation in {}", path.display()))?;
    linalg::read_reduction(&text).map_err(|error| {
        let (path, message) = (path.display(), &error.message);
        anyhow!("{path}:{}:{}: {message}", error.line, error.column)
    })
}
