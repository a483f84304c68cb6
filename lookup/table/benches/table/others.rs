//! The competitors of the table: its reader in C++, and SQLite.

use std::ffi::{CString, c_char, c_int, c_void};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;
use std::sync::OnceLock;

use libloading::Library;
use libsqlite3_sys as sqlite;
use lookup_table::Table;

use crate::made::{Keys, Made};

/// The functions of `reader.cpp`.
struct Reader {
    open: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    close: unsafe extern "C" fn(*mut c_void),
    lookup: unsafe extern "C" fn(*const c_void, *const c_char, *const usize, usize) -> usize,
    _library: Library,
}

/// A table that the reader in C++ has opened.
pub(crate) struct Cpp {
    reader: &'static Reader,
    table: *mut c_void,
}

impl Cpp {
    /// Opens a table; `None` without a compiler or xxhash.h.
    pub(crate) fn open(path: PathBuf) -> Option<Cpp> {
        static READER: OnceLock<Option<Reader>> = OnceLock::new();
        let reader = READER.get_or_init(compiled).as_ref()?;
        let path = c_path(&path);
        // SAFETY: the path ends with NUL, and the function is that of `reader.cpp`.
        let table = unsafe { (reader.open)(path.as_ptr()) };
        assert!(!table.is_null(), "refused");
        Some(Cpp { reader, table })
    }

    /// Counts the keys of a batch that the table has.
    pub(crate) fn found(&self, keys: &Keys, batch: Range<usize>) -> usize {
        let ends = &keys.ends[batch.start..=batch.end];
        let text = keys.text.as_ptr().cast();
        // SAFETY: the table is open, and there are as many ends as it reads, all within the text.
        unsafe { (self.reader.lookup)(self.table, text, ends.as_ptr(), batch.len()) }
    }
}

impl Drop for Cpp {
    fn drop(&mut self) {
        // SAFETY: this reader opened it, and nobody uses it any more.
        unsafe { (self.reader.close)(self.table) }
    }
}

fn compiled() -> Option<Reader> {
    let folder = tempfile::tempdir().expect("a folder");
    let library = folder.path().join("libreader.so");
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new("g++");
    command
        .args(["-std=c++17", "-O2", "-shared", "-fPIC", "-I"])
        .arg(package.join("include"))
        .arg(package.join("benches/table/reader.cpp"))
        .arg("-o")
        .arg(&library);
    command.status().ok().filter(|status| status.success())?;
    // SAFETY: the library has no initialisers, and its functions have the types of `Reader`.
    unsafe {
        let library = Library::new(&library).expect("what was compiled");
        Some(Reader {
            open: *library.get(b"bench_open").expect("bench_open"),
            close: *library.get(b"bench_close").expect("bench_close"),
            lookup: *library.get(b"bench_lookup").expect("bench_lookup"),
            _library: library,
        })
    }
}

fn c_path(path: &Path) -> CString {
    CString::new(path.as_os_str().as_encoded_bytes()).expect("a path")
}

/// A file with the same keys and configurations, and a prepared statement.
pub(crate) struct Sqlite {
    database: *mut sqlite::sqlite3,
    statement: *mut sqlite::sqlite3_stmt,
}

// SAFETY: SQLite is built for several threads, and the benchmark uses one at a time.
unsafe impl Send for Sqlite {}
// SAFETY: SQLite is built for several threads, and the benchmark uses one at a time.
unsafe impl Sync for Sqlite {}

impl Sqlite {
    pub(crate) fn new(made: &Made) -> Sqlite {
        let mut database = ptr::null_mut();
        let path = c_path(&made.folder().join("made.db"));
        // SAFETY: the path ends with NUL, and `database` is space for the handle.
        let code = unsafe { sqlite::sqlite3_open(path.as_ptr(), &mut database) };
        assert_eq!(code, sqlite::SQLITE_OK);
        let run = |text: &str| {
            let statement = prepared(database, text);
            step(statement);
            // SAFETY: it was prepared above, and nobody else uses it.
            unsafe { sqlite::sqlite3_finalize(statement) };
        };
        // All of it in memory, as the table is: 1 GiB of mapped pages.
        run("PRAGMA mmap_size = 1073741824");
        run(
            "CREATE TABLE entries (key TEXT PRIMARY KEY, configuration TEXT, time REAL) WITHOUT ROWID",
        );
        run("BEGIN");
        let insert = prepared(database, "INSERT INTO entries VALUES (?1, ?2, 1.5)");
        let table = Table::open(made.path()).expect("a table");
        for entry in table.entries() {
            bind(insert, 1, entry.key());
            bind(insert, 2, entry.configuration());
            assert_eq!(step(insert), sqlite::SQLITE_DONE);
            reset(insert);
        }
        // SAFETY: it was prepared above, and nobody else uses it.
        unsafe { sqlite::sqlite3_finalize(insert) };
        run("COMMIT");
        let statement = prepared(
            database,
            "SELECT configuration, time FROM entries WHERE key = ?1",
        );
        Sqlite {
            database,
            statement,
        }
    }

    /// Counts the keys of a batch that the file has.
    pub(crate) fn found(&self, keys: &Keys, batch: Range<usize>) -> usize {
        let found = |&index: &usize| {
            bind(self.statement, 1, keys.get(index));
            let code = step(self.statement);
            reset(self.statement);
            code == sqlite::SQLITE_ROW
        };
        batch.filter(found).count()
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // SAFETY: `new` made both, and nobody uses them any more.
        unsafe {
            sqlite::sqlite3_finalize(self.statement);
            sqlite::sqlite3_close(self.database);
        }
    }
}

fn prepared(database: *mut sqlite::sqlite3, text: &str) -> *mut sqlite::sqlite3_stmt {
    let mut statement = ptr::null_mut();
    // SAFETY: the database is open, and the length is that of the text.
    let code = unsafe {
        let (text, length) = (text.as_ptr().cast(), text.len() as c_int);
        sqlite::sqlite3_prepare_v2(database, text, length, &mut statement, ptr::null_mut())
    };
    assert_eq!(code, sqlite::SQLITE_OK, "{text}");
    statement
}

/// Binds a text, which must live until the statement is reset.
fn bind(statement: *mut sqlite::sqlite3_stmt, place: c_int, text: &str) {
    // SAFETY: the statement is prepared, and the text of this length lives until it is reset.
    let code = unsafe {
        let (text, length) = (text.as_ptr().cast(), text.len() as c_int);
        sqlite::sqlite3_bind_text(statement, place, text, length, sqlite::SQLITE_STATIC())
    };
    assert_eq!(code, sqlite::SQLITE_OK);
}

fn step(statement: *mut sqlite::sqlite3_stmt) -> c_int {
    // SAFETY: the statement is prepared, and its texts live.
    unsafe { sqlite::sqlite3_step(statement) }
}

fn reset(statement: *mut sqlite::sqlite3_stmt) {
    // SAFETY: the statement is prepared.
    unsafe { sqlite::sqlite3_reset(statement) };
}
