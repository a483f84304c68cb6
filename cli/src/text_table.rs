//! Text tables for people: columns of at most 100 characters in all; a longer cell continues on
//! the next line.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Characters of a line.
const WIDTH: u16 = 100;

/// Creates a table with these columns. A name that begins with `>` marks a right-aligned column
/// of numbers.
pub(crate) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        // Fixed, so that output does not depend on the terminal.
        .set_width(WIDTH)
        .set_header(columns.iter().map(|name| name.trim_start_matches('>')));
    for (column, name) in table.column_iter_mut().zip(columns) {
        column.set_padding((0, 2));
        if name.starts_with('>') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Formats the table without trailing spaces.
pub(crate) fn text(table: &Table) -> String {
    let lines = table.lines();
    lines
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}
