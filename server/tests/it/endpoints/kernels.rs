//! Kernel exports that fail: no results, too many problems, or no toolchain.

use configgen::Generator;
use serde_json::json;

use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{key, key_made, record, right, trial};

const KERNELS: &str = "/api/v1/exports/kernels?target=gfx942";

pub(crate) async fn invalid_exports_are_refused(place: Place) {
    let service = Service::start_without_tools(&place).await;
    for (query, parameter, position, kind) in [
        ("", "target", json!(null), "missing-parameter"),
        ("?target=gfx000", "target", json!(null), "invalid-value"),
        (
            "?target=gfx942&target=gfx942",
            "target",
            json!(null),
            "repeated-parameter",
        ),
        (
            "?target=gfx942&problems=x",
            "problems",
            json!(null),
            "unknown-parameter",
        ),
        (
            "?target=gfx942&problem=argmax:4x%5B8%5Dxf32&problem=",
            "problem",
            json!(0),
            "invalid-problem",
        ),
        (
            "?target=gfx942&problem=argmax:4x%5B8%5Dxf33",
            "problem",
            json!(13),
            "invalid-problem",
        ),
        (
            "?target=gfx942&problem=%FF%00%22%3Cscript%3E",
            "problem",
            json!(0),
            "invalid-problem",
        ),
        (
            "?target=gfx942&problem=argmax:%5B99999999999999999999%5Dxf32",
            "problem",
            json!(8),
            "invalid-problem",
        ),
    ] {
        let target = format!("/api/v1/exports/kernels{query}");
        let place = json!([parameter, position]);
        service.check_error(&target, 400, kind, place).await;
    }
    let headers = "Host: localhost\r\nWavetune-Wish: no";
    let (head, body) = service.get_with(KERNELS, headers).await;
    assert!(head.starts_with("HTTP/1.1 400 "), "{head}\n{body}");

    // Results that exist, but of other kernels, or illegal ones.
    let none = || json!([null, null]);
    service
        .check_error(KERNELS, 404, "nothing-known", none())
        .await;
    let iree = key_made(|made| made.generator = Generator::IREE);
    service.record(&iree, &[trial(1, 256, right(4.0))]).await;
    service
        .check_error(KERNELS, 404, "nothing-known", none())
        .await;
    service.record(&key(), &[trial(1, 2, right(8.0))]).await;
    service
        .check_error(KERNELS, 404, "nothing-known", none())
        .await;
    let named = format!("{KERNELS}&problem={}", key().problem);
    let place = json!(["problem", null]);
    service
        .check_error(&named, 422, "problem-refused", place)
        .await;
    service.check(&named, 422, "\"rule\":\"N7\"").await;
}

pub(crate) async fn more_than_is_built_at_once_is_refused(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let named = |count: usize| {
        let problems = (1..=count).map(|size| format!("&problem=argmax:%5B{size}%5Dxf32"));
        format!("{KERNELS}{}", problems.collect::<String>())
    };
    // This number would be built with a toolchain.
    service.check(&named(64), 501, "tools-missing").await;
    let parts = "\"given\":65,\"limit\":64";
    let too_many = async |target: &str| {
        let none = json!([null, null]);
        service.check_error(target, 400, "too-many", none).await;
        service.check(target, 400, parts).await;
        service
            .check(target, 400, "`wavetune export kernels`")
            .await;
    };
    too_many(&named(65)).await;
    for size in 1..=65 {
        let mut key = key();
        key.problem = format!("argmax:4x[{}]xf32", 256 * size).parse().unwrap();
        let trials = [trial(1, 256, right(8.0))];
        record(&*service.store, &key, &trials).await;
    }
    too_many(KERNELS).await;
}

pub(crate) async fn without_tools_it_is_said_what_to_install(place: Place) {
    let service = Service::start_without_tools(&place).await;
    let named = format!("{KERNELS}&problem=argmin:3x[100]xi32");
    let none = json!([null, null]);
    service
        .check_error(&named, 501, "tools-missing", none)
        .await;
    for part in [
        "on the service's machine: libLLVM",
        "apt-get install",
        "WAVETUNE_LIBLLVM",
    ] {
        service.check(&named, 501, part).await;
    }
    assert!(service.failures()[0].contains("libLLVM"));
    // Untuned problems become wishes only if the client asks for that.
    service.check("/api/v1/wishes", 200, "\"wishes\":[]").await;
    let headers = "Host: localhost\r\nWavetune-Wish: yes";
    service.get_with(&named, headers).await;
    service
        .soon("/api/v1/wishes", "argmin:3x[100]xi32:i32")
        .await;
    service
        .soon("/metrics", "wavetune_wishes_noted_total 1")
        .await;
}
