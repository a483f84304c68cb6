use super::*;

/// What a client hears of a fault of the database, whether a handler met it or the fleet.
#[track_caller]
fn check(fault: fn() -> Fault, status: u16, kind: &str) {
    let error = || StoreError {
        database: "trials.db".to_owned(),
        fault: fault(),
    };
    for told in [
        ApiError::from(error()),
        ApiError::from(FleetError::Store(error())),
    ] {
        let details = told.details();
        let expected = format!("/problems/{kind}");
        assert_eq!((details.status, details.kind), (status, expected));
    }
}

#[test]
fn a_fault_of_the_database_is_told_apart_from_one_of_the_service() {
    check(|| Fault::DiskFull, 507, "disk-full");
    check(|| Fault::ReadOnly, 503, "studies-unavailable");
    let away: [fn() -> Fault; 7] = [
        || Fault::Missing,
        || Fault::Empty,
        || Fault::NotADatabase,
        || Fault::Foreign,
        || Fault::OlderSchema { found: 1, known: 2 },
        || Fault::NewerSchema { found: 2, known: 1 },
        || Fault::Unavailable("connection refused".to_owned()),
    ];
    for fault in away {
        check(fault, 503, "database-unavailable");
    }
    check(
        || Fault::Database("no such table".to_owned()),
        500,
        "database",
    );
}
