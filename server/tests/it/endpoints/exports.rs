//! Exports: the tuning spec for iree-compile.

use configgen::{Generator, Space};
use iree_export::tuning_spec::{SpecSelection, iree_spec};
use serde_json::json;
use store::{StudyKey, Ties};

use crate::endpoints::archive::tag;
use crate::endpoints::place::Place;
use crate::endpoints::service::Service;
use crate::endpoints::support::{default_trial, key, right, trial};

const SPEC: &str = "/api/v1/exports/iree-spec?target=gfx942";

/// Returns a study of IREE's kernels with this version of its compiler.
fn study(version: &str) -> StudyKey {
    let mut study = key();
    study.provenance.generator = Generator::IREE;
    study.provenance.compiler = "iree-compile".to_owned();
    study.provenance.compiler_version = version.to_owned();
    study
}

pub(crate) async fn the_spec_is_what_the_command_line_writes_and_has_a_tag(place: Place) {
    let service = Service::start_at(&place).await;
    let trials = [default_trial(0, 1, right(61.0)), trial(1, 2, right(8.0))];
    service.record(&study("3.13.0"), &trials).await;
    let (head, body) = service.get(SPEC).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    let wanted = SpecSelection {
        target: key().provenance.target,
        problems: &[],
        device: None,
        compiler_version: None,
        taking: None,
        ties: Ties::default(),
        stand_ins: &[],
        ranges: None,
    };
    let export = iree_spec(&*service.store, &wanted).await.unwrap();
    assert_eq!(body, export.spec.unwrap().text);
    assert!(
        body.contains("8.00 us modelled on emulated:mi300x"),
        "{body}"
    );
    let headers = format!("Host: localhost\r\nIf-None-Match: {}", tag(&head));
    let (head, body) = service.get_with(SPEC, &headers).await;
    assert!(
        head.starts_with("HTTP/1.1 304 ") && body.is_empty(),
        "{head}"
    );

    let mut other = study("3.14.0");
    other.problem = "argmin:8x[4096]xf32".parse().unwrap();
    service.record(&other, &trials).await;
    let place = json!(["compiler_version", null]);
    service.check_error(SPEC, 409, "several", place).await;
    service
        .check(
            &format!("{SPEC}&compiler_version=3.14.0"),
            200,
            "iree-compile 3.14.0",
        )
        .await;
}

/// The file belongs to the spec: without it, rows are not split.
pub(crate) async fn split_kernels_are_served_beside_the_spec(place: Place) {
    const SPLITS: &str = "/api/v1/exports/iree-splits?target=gfx942";
    let service = Service::start_at(&place).await;
    let study = study("3.13.0");
    let whole = [default_trial(0, 1, right(61.0)), trial(1, 2, right(20.0))];
    service.record(&study, &whole).await;
    let none = json!([null, null]);
    service
        .check_error(SPLITS, 404, "nothing-known", none)
        .await;

    let space = Space::new(&study.problem, study.provenance.target, Generator::IREE);
    let mut samples = space.sample(500, 0).into_iter();
    let mut split = trial(2, 3, right(8.0));
    split.configuration = samples.find(|configuration| configuration.knobs.split > 1);
    assert!(split.configuration.is_some());
    service.record(&study, &[split]).await;
    let (head, body) = service.get(SPLITS).await;
    assert!(head.starts_with("HTTP/1.1 200 "), "{head}\n{body}");
    let problem = &study.problem;
    let told = format!("// {problem}: rows in pieces of ");
    let time =
        ", 8.00 us modelled on emulated:mi300x, 61.00 us by default (7.62x), trial 2 of study 1";
    assert!(body.contains(&told) && body.contains(time), "{body}");
    let (_, spec) = service.get(SPEC).await;
    let told = format!("pieces of rows of {problem}, in all 8.00 us modelled");
    assert!(spec.contains(&told), "{spec}");
    let option = "--iree-preprocessing-transform-spec-filename=FILE";
    assert!(spec.contains(option), "{spec}");
    let told = "without split rows: 20.00 us modelled on emulated:mi300x, 61.00 us by default";
    assert!(spec.contains(told), "{spec}");
    let headers = format!("Host: localhost\r\nIf-None-Match: {}", tag(&head));
    let (head, _) = service.get_with(SPLITS, &headers).await;
    assert!(head.starts_with("HTTP/1.1 304 "), "{head}");
    let place = json!(["target", null]);
    let asked = "/api/v1/exports/iree-splits";
    service
        .check_error(asked, 400, "missing-parameter", place)
        .await;
}

pub(crate) async fn where_there_is_no_spec_it_is_said_why(place: Place) {
    let service = Service::start_at(&place).await;
    service.record(&key(), &[trial(1, 2, right(8.0))]).await;
    let none = || json!([null, null]);
    service
        .check_error(SPEC, 404, "nothing-known", none())
        .await;
    service.check(SPEC, 404, "wavetune tune").await;
    // The default of another version is not known, and needs no spec.
    let default = [default_trial(0, 1, right(8.0))];
    service.record(&study("3.14.0"), &default).await;
    let place = json!(["compiler_version", null]);
    service.check_error(SPEC, 409, "several", place).await;
    let asked = format!("{SPEC}&compiler_version=3.14.0");
    service.check(&asked, 404, "IREE's own default").await;
    for (target, parameter, kind) in [
        ("", "target", "missing-parameter"),
        ("?target=gfx000", "target", "invalid-value"),
        ("?target=gfx942&ties=x", "ties", "invalid-value"),
        ("?target=gfx942&x=", "x", "unknown-parameter"),
    ] {
        let target = format!("/api/v1/exports/iree-spec{target}");
        service
            .check_error(&target, 400, kind, json!([parameter, null]))
            .await;
    }
}
