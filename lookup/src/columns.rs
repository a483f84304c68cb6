//! Columns of a study's trials for charts: codes in place of names, so that the response of many
//! trials is small.

use std::collections::{BTreeSet, HashMap};

use answers::columns::{AttributeColumn, Columns, Constant};
use configgen::scalars::{ScalarName, Value, scalars};
use store::{FailureKind, Role, Status, StudyId, TrialPoint, TrialPoints};

/// The number of significant digits of a number.
const DIGITS: i32 = 5;

/// Returns the columns of these trials. Takes long for many trials, so run it on a blocking
/// thread.
pub fn columns(study: StudyId, points: TrialPoints) -> Columns {
    let rows = &points.rows;
    let (attributes, constants) = attributes(rows);
    Columns {
        study: study.0,
        trials: points.trials,
        next: points.next,
        ordinal: rows.iter().map(|row| row.ordinal).collect(),
        role: of_each(rows, |row| place(&Role::ALL, row.role)),
        status: of_each(rows, |row| place(&Status::ALL, row.status)),
        failure: of_each(rows, |row| {
            row.failure.map(|failure| place(&FailureKind::ALL, failure))
        }),
        time_us: of_each(rows, |row| row.time_us.map(rounded)),
        compile_ms: of_each(rows, |row| row.compile_ms.map(rounded)),
        seconds: of_each(rows, |row| rounded(row.took.as_secs_f64())),
        roles: Role::ALL.map(Role::name).to_vec(),
        statuses: Status::ALL.map(Status::name).to_vec(),
        failures: FailureKind::ALL.map(FailureKind::name).to_vec(),
        attributes,
        constants,
        unreadable: points.unreadable,
    }
}

fn of_each<T>(rows: &[TrialPoint], code: impl Fn(&TrialPoint) -> T) -> Vec<T> {
    rows.iter().map(code).collect()
}

fn place<T: Copy + PartialEq>(all: &[T], one: T) -> usize {
    let place = all.iter().position(|other| *other == one);
    place.expect("all are all")
}

/// A column under construction, with its values in the order of their occurrence.
struct Filling {
    name: ScalarName,
    places: HashMap<Value, usize>,
    codes: Vec<Option<usize>>,
}

/// Returns the scalars of the configurations: those with several values as columns, and those
/// with one as constants.
fn attributes(rows: &[TrialPoint]) -> (Vec<AttributeColumn>, Vec<Constant>) {
    let mut columns: Vec<Filling> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let Some(configuration) = &row.configuration else {
            continue;
        };
        for (at, (name, value)) in scalars(configuration).into_iter().enumerate() {
            let column = column(&mut columns, at, name, rows.len());
            let next = column.places.len();
            let code = *column.places.entry(value).or_insert(next);
            column.codes[number] = Some(code);
        }
    }
    let (mut attributes, mut constants) = (Vec::new(), Vec::new());
    for column in columns {
        let name = column.name.to_string();
        let values: BTreeSet<Value> = column.places.keys().cloned().collect();
        let values: Vec<Value> = values.into_iter().collect();
        if let [value] = &values[..] {
            constants.push(Constant {
                name,
                value: value.clone(),
            });
            continue;
        }
        // Codes count occurrences so far; a chart needs them in the order of the values.
        let mut sorted = vec![0; values.len()];
        for (place, value) in values.iter().enumerate() {
            sorted[column.places[value]] = place;
        }
        let codes = column.codes.into_iter();
        attributes.push(AttributeColumn {
            name,
            codes: codes.map(|code| code.map(|code| sorted[code])).collect(),
            values,
        });
    }
    (attributes, constants)
}

/// Returns the column with this name. It is mostly at `at`, because the configurations of a study
/// have the same scalars.
fn column(columns: &mut Vec<Filling>, at: usize, name: ScalarName, rows: usize) -> &mut Filling {
    let is_here = columns.get(at).is_some_and(|column| column.name == name);
    let at = match is_here {
        true => Some(at),
        false => columns.iter().position(|column| column.name == name),
    };
    let at = at.unwrap_or_else(|| {
        columns.push(Filling {
            name,
            places: HashMap::new(),
            // Rows without this attribute, or without a configuration, keep an empty code.
            codes: vec![None; rows],
        });
        columns.len() - 1
    });
    &mut columns[at]
}

/// Rounds a number to five significant digits. Keeps numbers that no kernel's time can be.
fn rounded(number: f64) -> f64 {
    if !(1e-15..1e22).contains(&number.abs()) {
        return number;
    }
    let decimals = DIGITS - 1 - number.abs().log10().floor() as i32;
    // These powers of ten are exact, so the result prints with few digits.
    let power = 10f64.powi(decimals.abs());
    match decimals >= 0 {
        true => (number * power).round() / power,
        false => (number / power).round() * power,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: f64, expected: f64) {
        assert_eq!(rounded(number), expected);
        assert_eq!(rounded(-number), -expected);
    }

    #[test]
    fn numbers_have_five_digits() {
        check(0.0, 0.0);
        check(1.0, 1.0);
        check(12.345_678, 12.346);
        check(99_999.6, 100_000.0);
        check(123_456_789.0, 123_460_000.0);
        check(0.000_123_456_7, 0.000_123_46);
        check(1e300, 1e300);
        check(5e-324, 5e-324);
        check(1.234_567e21, 1.2346e21);
        check(1.234_567e-15, 1.2346e-15);
        check(f64::INFINITY, f64::INFINITY);
        for step in 0..4000 {
            let number = 1.003_f64.powi(step - 2000) * 7.123_456_789;
            let error = (rounded(number) - number).abs() / number;
            assert!(error < 1e-4, "{number}");
            assert!(rounded(number).to_string().len() <= 12, "{number}");
        }
    }
}
