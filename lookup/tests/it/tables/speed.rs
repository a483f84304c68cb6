//! The time of a lookup in a table does not grow with the table.

use configgen::Target;
use lookup::table_file::answer_from_table;
use lookup::{LookupRequest, Rung};
use lookup_table::{NewEntry, Table, TableWriter};

use super::{MI300X, made, new_store, tune};

/// Checks that the first candidate is found as fast among many entries of a family as among few.
#[test]
async fn a_neighbour_is_found_without_a_look_at_all() {
    let (_directory, store) = new_store().await;
    tune(&store, "argmax:4x[4096]xf32", MI300X, 8.0).await;
    tune(&store, "argmax:?x[4096]xf32:i32:count=2..8", MI300X, 8.0).await;
    let one = made(&store).await;
    let least = |rows: u64, columns: u64| {
        let mut writer = TableWriter::new();
        for entry in one.entries() {
            let key = |rows: u64, columns: u64| match entry.key().contains(":?") {
                true => format!("argmax:?x[{columns}]xf32:i32:count=2..{rows}\0gfx942"),
                false => format!("argmax:{rows}x[{columns}]xf32:i32\0gfx942"),
            };
            for (rows, columns) in
                (4..4 + rows).flat_map(|rows| (4096..4096 + columns).map(move |it| (rows, it)))
            {
                let key = key(rows, columns);
                let (family, sizes) = (entry.family().text(), [rows, columns]);
                let entry = NewEntry {
                    key: &key,
                    configuration: entry.configuration(),
                    attributes: "",
                    generator: entry.generator(),
                    status: entry.status(),
                    time_us: 1.0,
                    default_time_us: None,
                    bound_us: None,
                    study: 1,
                    ordinal: 0,
                    provenance: entry.provenance(),
                    family,
                    sizes: &sizes,
                };
                writer.add(&entry).unwrap();
            }
        }
        let table = Table::read(writer.to_bytes().unwrap()).unwrap();
        let asked = format!("argmax:{}x[{}]xf32", 3 + rows / 2, 4099 + columns);
        let target = Target::named("gfx942").unwrap();
        let mut request = LookupRequest::new(asked.parse().unwrap(), target);
        request.at_least = Rung::Neighbour;
        let times = (0..5).map(|_| {
            let begin = std::time::Instant::now();
            assert_eq!(
                answer_from_table(&table, &request).rung(),
                Some(Rung::Neighbour)
            );
            begin.elapsed()
        });
        times.min().unwrap()
    };
    let (few, many) = (least(10, 10), least(100, 200));
    assert!(
        many < 20 * few,
        "{few:?} of 200 entries, {many:?} of 40,000"
    );
}
