//! Tables for people: columns, in at most a hundred characters; what is longer goes on in the next line.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// Characters of a line.
const WIDTH: u16 = 100;

/// A table with these columns. Those whose name begins with `>` are numbers and stand at the right.
pub(crate) fn table(columns: &[&str]) -> Table {
    let mut table = Table::new();
    table
        .load_preset(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
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

/// The table as text, without spaces at the ends of lines.
pub(crate) fn text(table: &Table) -> String {
    let lines = table.lines();
    lines
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}
