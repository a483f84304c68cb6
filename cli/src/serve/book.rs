//! The book that a service shows: of a folder that it was told, or of the installation.

use std::path::{Path, PathBuf};

use anyhow::Context;
use server::Book;

/// The book of an installation, from the folder above that of the program, such as `/usr`.
const INSTALLED: &str = "share/doc/wavetune/book";

/// Reads the book in a folder, or that of the installation, if there is one.
///
/// # Errors
/// If the folder that was named has no book, or if a file cannot be read.
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
