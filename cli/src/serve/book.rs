//! The book that a service shows: from a named folder, or from the installation.

use std::path::{Path, PathBuf};

use anyhow::Context;
use server::Book;

/// The folder of an installed book, relative to the folder above the program's, such as `/usr`.
const INSTALLED: &str = "share/doc/wavetune/book";

/// Reads the book in the named folder, or the installed one if there is one.
///
/// # Errors
///
/// A named folder without a book, or a file that cannot be read.
pub(super) fn read(named: Option<&Path>) -> anyhow::Result<Option<Book>> {
    match named {
        Some(folder) => Ok(Some(Book::read(folder).context("--docs")?)),
        None => {
            // An installation without the book is complete: the service says so at /docs.
            let program = std::env::current_exe().ok();
            let folder = program.and_then(|it| installed(&it));
            let book = folder.filter(|it| it.is_dir()).map(|it| Book::read(&it));
            Ok(book.transpose()?)
        }
    }
}

/// Returns the folder of the book that was installed with a program.
fn installed(program: &Path) -> Option<PathBuf> {
    Some(program.parent()?.parent()?.join(INSTALLED))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_book_lies_beside_the_program() {
        let folder = installed(Path::new("/usr/bin/wavetune"));
        assert_eq!(
            folder.as_deref(),
            Some(Path::new("/usr/share/doc/wavetune/book"))
        );
        assert_eq!(installed(Path::new("/wavetune")), None);
    }
}
