use super::*;

/// Creates a folder with these files and a link to a file outside of it.
fn planted(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in files {
        let file = folder.path().join("book").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, name).unwrap();
    }
    fs::write(folder.path().join("secret.html"), "secret").unwrap();
    folder
}

#[test]
fn a_book_is_the_files_of_its_folder() {
    let folder = planted(&["index.html", "css/a.css", "source/b.h", "c/index.html"]);
    let book = folder.path().join("book");
    for link in ["link.html", "css/link"] {
        std::os::unix::fs::symlink(folder.path().join("secret.html"), book.join(link)).unwrap();
    }
    let book = Book::read(&book).unwrap();
    let names: Vec<&str> = book.files.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        ["c/index.html", "css/a.css", "index.html", "source/b.h"]
    );
    #[track_caller]
    fn check(book: &Book, name: &str, expected: Option<(&str, &str)>) {
        let file = book.file(name);
        let found = file.map(|it| (std::str::from_utf8(&it.bytes).unwrap(), it.kind));
        assert_eq!(found, expected, "{name}");
    }
    let html = "text/html; charset=utf-8";
    check(&book, "", Some(("index.html", html)));
    check(&book, "c/", Some(("c/index.html", html)));
    check(
        &book,
        "css/a.css",
        Some(("css/a.css", "text/css; charset=utf-8")),
    );
    check(&book, "source/b.h", Some(("source/b.h", TEXT)));
    for name in [
        "css",
        "css/",
        "link.html",
        "css/link",
        "../secret.html",
        "/index.html",
        "c/../index.html",
    ] {
        check(&book, name, None);
    }
}

#[test]
fn a_folder_that_is_no_book_is_refused() {
    let read = |folder: &Path| Book::read(folder).unwrap_err().to_string();
    let folder = planted(&["a.html"]);
    let said = read(&folder.path().join("book"));
    assert!(
        said.ends_with("has no index.html: name the folder of a built book"),
        "{said}"
    );
    let said = read(&folder.path().join("none"));
    assert!(
        said.starts_with("cannot read ") && said.ends_with("none"),
        "{said}"
    );
    let deep = planted(&["index.html", "1/2/3/4/5/6/7/8/9/a.html"]);
    let said = read(&deep.path().join("book"));
    assert!(said.contains("more than 8 deep"), "{said}");
}
