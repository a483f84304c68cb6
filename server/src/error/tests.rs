use super::*;

/// Checks the error for a fault of the database, from a handler and from the fleet.
#[track_caller]
fn check(fault: fn() -> StoreFault, status: u16, kind: &str) {
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
    check(|| StoreFault::DiskFull, 507, "disk-full");
    check(|| StoreFault::ReadOnly, 503, "studies-unavailable");
    let away: [fn() -> StoreFault; 7] = [
        || StoreFault::Missing,
        || StoreFault::Empty,
        || StoreFault::NotADatabase,
        || StoreFault::Foreign,
        || StoreFault::OlderSchema { found: 1, known: 2 },
        || StoreFault::NewerSchema { found: 2, known: 1 },
        || StoreFault::Unavailable("connection refused".to_owned()),
    ];
    for fault in away {
        check(fault, 503, "database-unavailable");
    }
    check(
        || StoreFault::Database("no such table".to_owned()),
        500,
        "database",
    );
}

/// A client reads from the header when the service will have read its database.
#[test]
fn a_service_that_starts_tells_its_clients_when_to_come_back() {
    let response = ApiError::not_yet().into_response();
    assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(response.headers()[header::RETRY_AFTER], "1");
}
