//! Pages of lists, from rows of which one more was read than a page has.

use store::{Cursor, ListPage, Unreadable, UnreadableRow};

/// The rows to read for a page of so many: by the one that is too many it is known whether the list goes on.
pub fn rows_of(limit: u32) -> i64 {
    i64::from(limit) + 1
}

/// A page of these rows, with the cursor of its last one where the list goes on.
pub fn page<R, T>(
    mut rows: Vec<R>,
    limit: u32,
    cursor: impl Fn(&R) -> Cursor,
    read: impl Fn(R) -> Result<T, UnreadableRow>,
) -> ListPage<T> {
    let is_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    let next = rows.last().filter(|_| is_more).map(cursor);
    let mut unreadable = Unreadable::default();
    let rows = rows.into_iter().map(read);
    ListPage {
        rows: rows.filter_map(|row| unreadable.note(row)).collect(),
        unreadable,
        next,
    }
}
