//! Pages of lists, from one row more than a page has.

use store::{Cursor, ListPage, Unreadable, UnreadableRow};

/// Returns the number of rows to read for a page of `limit`. The additional row tells whether the
/// list goes on.
pub fn rows_of(limit: u32) -> i64 {
    i64::from(limit) + 1
}

/// Returns a page of these rows, with the cursor of its last row if the list goes on.
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
