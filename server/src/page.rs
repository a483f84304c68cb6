//! The page: what is known, as a table for each clock. It is made here and works without scripts.

use std::fmt::Write;
use std::sync::Arc;

use answers::http::{Best, BestConfiguration};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{Html, IntoResponse};
use store::{ANOTHER_INDEX, Status, Ties};

use crate::api::best::best_of;
use crate::kind::KINDS;
use crate::refused::{Missing, Refused};
use crate::{ApiError, Service};

const PAGE: &str = include_str!("../../web/index.html");
const STYLE: &str = include_str!("../../web/style.css");
const EMPTY: &str = include_str!("../../web/empty.html");

/// A page of all that is known.
#[utoipa::path(
    get,
    path = "/",
    responses((status = 200, description = "A page", content_type = "text/html; charset=utf-8", body = String), Refused),
)]
pub(crate) async fn page(State(service): State<Arc<Service>>) -> Result<Html<String>, ApiError> {
    let best = best_of(service.catalogue.as_ref(), Ties::default()).await?;
    Ok(Html(render(&best)))
}

/// The style sheet of all pages.
#[utoipa::path(
    get,
    path = "/style.css",
    responses((status = 200, description = "A style sheet", content_type = "text/css; charset=utf-8", body = String), Refused),
)]
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

/// What a problem of this kind means.
#[utoipa::path(
    get,
    path = "/problems/{kind}",
    params(("kind" = String, Path, description = "The end of a problem's `type`", example = "unknown-parameter")),
    responses(
        (status = 200, description = "A page", content_type = "text/html; charset=utf-8", body = String),
        Missing,
        Refused,
    ),
)]
pub(crate) async fn problem(
    name: Result<Path<String>, PathRejection>,
) -> Result<Html<String>, ApiError> {
    let name = name.map_or_else(|_| String::new(), |Path(name)| name);
    let kind = KINDS.iter().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(ApiError::not_found)?;
    let content = format!(
        "<section>\n<h2>{} <small>{}</small></h2>\n<p>{}</p>\n</section>\n",
        escape(kind.title),
        kind.status.as_u16(),
        escape(kind.meaning),
    );
    Ok(Html(PAGE.replace("<!-- content -->", &content)))
}

fn render(best: &Best) -> String {
    let mut content = String::new();
    if best.measured.is_empty() && best.modelled.is_empty() && best.unreadable.is_none() {
        content.push_str(EMPTY);
    }
    let measured = "Times of real GPUs.";
    let modelled = "Times of the emulator\u{2019}s model, not of a GPU. They are not comparable with measured ones.";
    section(&mut content, "measured", measured, &best.measured);
    section(&mut content, "modelled", modelled, &best.modelled);
    if !best.unreadable.is_none() {
        let unreadable = escape(&best.unreadable.to_string());
        put(
            &mut content,
            format_args!("<section><p>Left out: {unreadable}</p></section>\n"),
        );
    }
    PAGE.replace("<!-- content -->", &content)
}

const COLUMNS: [(&str, &str); 9] = [
    ("Problem", ""),
    ("Target", ""),
    ("Device", ""),
    ("Generator", ""),
    ("Default", "\u{b5}s"),
    ("Best", "\u{b5}s"),
    ("Speedup", ""),
    ("Bound", "\u{b5}s"),
    ("Configuration", ""),
];

fn section(html: &mut String, clock: &str, note: &str, rows: &[BestConfiguration]) {
    if rows.is_empty() {
        return;
    }
    let mut head = String::new();
    for (name, unit) in COLUMNS {
        let unit = match unit {
            "" => String::new(),
            unit => format!(" <small>{unit}</small>"),
        };
        put(
            &mut head,
            format_args!("<th scope=\"col\">{name}{unit}</th>"),
        );
    }
    put(
        html,
        format_args!(
            "<section class=\"{clock}\" aria-labelledby=\"{clock}\">\n<h2 id=\"{clock}\">{clock}</h2>\n<p>{note}</p>\n\
            <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-labelledby=\"{clock}\">\n<table>\n\
            <thead><tr>{head}</tr></thead>\n<tbody>\n"
        ),
    );
    for best in rows {
        row(html, best);
    }
    html.push_str("</tbody>\n</table>\n</div>\n</section>\n");
}

fn row(html: &mut String, best: &BestConfiguration) {
    let speedup = best.speedup.map(|factor| format!("{factor:.2}\u{d7}"));
    let default = match (best.default_time_us, best.default_status) {
        (Some(time_us), _) => format!("{time_us:.2}"),
        (None, Some(Status::Failed)) => "does not compile or run".to_owned(),
        (None, Some(status)) => status.name().to_owned(),
        (None, None) => "not tried".to_owned(),
    };
    let peak = best
        .dram_peak_us
        .map(|us| format!(" <small>DRAM peak {us:.2}</small>"));
    let bound = best
        .bound_us
        .map(|us| format!("{us:.2}{}", peak.unwrap_or_default()));
    let dash = || "\u{2013}".to_owned();
    put(
        html,
        format_args!(
            "<tr><th scope=\"row\"><code>{}</code></th>",
            escape(&best.problem.to_string())
        ),
    );
    for text in [best.target, &best.device, best.generator.name()] {
        put(html, format_args!("<td>{}</td>", escape(text)));
    }
    let on_ties = match best.status {
        Status::Tie => format!(" <small>{}</small>", escape(ANOTHER_INDEX)),
        _ => String::new(),
    };
    let numbers = [
        ("number", default),
        ("number best", format!("{:.2}{on_ties}", best.time_us)),
        ("number speedup", speedup.unwrap_or_else(dash)),
        ("number", bound.unwrap_or_else(dash)),
    ];
    for (class, number) in numbers {
        put(html, format_args!("<td class=\"{class}\">{number}</td>"));
    }
    put(
        html,
        format_args!(
            "<td><details><summary>show</summary>{}</details></td></tr>\n",
            details(best)
        ),
    );
}

/// The configuration as JSON, and where its time comes from.
fn details(best: &BestConfiguration) -> String {
    let json = answers::line(&best.configuration);
    let made = &best.provenance;
    let samples = made.samples.to_string();
    let seed = made.input_seed.to_string();
    let facts = [
        ("verdict", best.status.name()),
        ("driver", &made.driver),
        ("compiler", &made.compiler),
        ("compiler version", &made.compiler_version),
        ("generator version", &made.generator_version),
        ("timing", &made.timing),
        ("samples", &samples),
        ("input seed", &seed),
        ("when", &made.when),
    ];
    let mut html = format!("<pre>{}</pre><dl>", escape(&json));
    for (name, value) in facts {
        put(
            &mut html,
            format_args!("<dt>{name}</dt><dd>{}</dd>", escape(value)),
        );
    }
    html.push_str("</dl>");
    html
}

fn put(html: &mut String, text: std::fmt::Arguments<'_>) {
    html.write_fmt(text).expect("writing to a string succeeds");
}

/// Text as it stands in HTML, in elements and in quoted attributes.
fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
    html
}
