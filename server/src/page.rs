//! Pages: the files of the dashboard from `web`, the explanations of problems, and the book.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use web::DashboardFile;

use crate::book::BookFile;
use crate::entity_tag::{EntityTag, tagged};
use crate::error_responses::{CommonErrors, NotFoundErrors};
use crate::problem_kind::{self, KINDS};
use crate::{ApiError, ServiceState};

const PROBLEM: &str = include_str!("../static/problem.html");
const STYLE: &str = include_str!("../static/style.css");

/// The error of a service without a book.
const NO_BOOK: &str = "this service has no book: start it with `wavetune serve --docs DIR`; /api/v1/docs describes \
                       the API";

/// The policy of the dashboard: it loads its own files and requests its own service. It also
/// creates pictures itself.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
     object-src 'none'",
);

/// Returns the dashboard.
#[utoipa::path(
    get,
    path = "/",
    params(("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers")),
    responses(
        (status = 200, description = "The page", content_type = "text/html; charset=utf-8", body = String,
            headers(("ETag" = String, description = "The entity tag of the page"))),
        (status = 304, description = "The client's cached answer is current"),
        CommonErrors,
    ),
)]
pub(crate) async fn page(headers: HeaderMap) -> Response {
    answer(&headers, web::page())
}

/// Returns a file of the dashboard.
#[utoipa::path(
    get,
    path = "/web/{*path}",
    params(
        ("path" = String, Path, description = "The path of the file, with `/` between folders", example = "main.js"),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers"),
    ),
    responses(
        (status = 200, description = "The file", content((String = "text/javascript; charset=utf-8"), (String = "text/css; charset=utf-8"),
            (String = "text/html; charset=utf-8"), (String = "image/svg+xml"), (String = "text/plain; charset=utf-8")),
            headers(("ETag" = String, description = "The entity tag of the file"))),
        (status = 304, description = "The client's cached answer is current"),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn file(
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let file = path.ok().and_then(|Path(path)| web::file(&path));
    Ok(answer(&headers, file.ok_or_else(ApiError::not_found)?))
}

/// Answers a file of the dashboard.
fn answer(asked: &HeaderMap, file: DashboardFile) -> Response {
    let mut answer = tagged(asked, file.kind, EntityTag::new(&file.digest), || {
        file.bytes.into_owned()
    });
    answer
        .headers_mut()
        .insert(header::CONTENT_SECURITY_POLICY, POLICY);
    answer
}

/// Redirects to the first page of the book.
#[utoipa::path(
    get,
    path = "/docs",
    responses(
        (status = 308, description = "The first page is at `/docs/`", headers(("Location" = String, description = "The address"))),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn book_address(
    State(service): State<Arc<ServiceState>>,
) -> Result<Redirect, ApiError> {
    found(&service, "")?;
    // Links of the pages are relative to a folder.
    Ok(Redirect::permanent("/docs/"))
}

/// Answers the first page of the book.
#[utoipa::path(
    get,
    path = "/docs/",
    params(("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers")),
    responses(
        (status = 200, description = "The page", content_type = "text/html; charset=utf-8", body = String,
            headers(("ETag" = String, description = "The entity tag of the page"))),
        (status = 304, description = "The client's cached answer is current"),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn book(
    State(service): State<Arc<ServiceState>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    of_book(&service, &headers, "")
}

/// Answers a file of the book.
#[utoipa::path(
    get,
    path = "/docs/{*path}",
    params(
        ("path" = String, Path, description = "The path of the file, with `/` between folders", example = "index.html"),
        ("If-None-Match" = Option<String>, Header, nullable = false, description = "The entity tags of the client's cached answers"),
    ),
    responses(
        (status = 200, description = "The file", content((String = "text/html; charset=utf-8"), (String = "text/javascript; charset=utf-8"),
            (String = "text/css; charset=utf-8"), (String = "text/plain; charset=utf-8"), (String = "image/svg+xml"),
            (String = "image/png"), (String = "image/webp"), (String = "font/woff2")),
            headers(("ETag" = String, description = "The entity tag of the file"))),
        (status = 304, description = "The client's cached answer is current"),
        NotFoundErrors,
        CommonErrors,
    ),
)]
pub(crate) async fn book_file(
    State(service): State<Arc<ServiceState>>,
    path: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let Path(path) = path.map_err(|_| ApiError::not_found())?;
    of_book(&service, &headers, &path)
}

/// Finds a file of the book.
fn found<'a>(service: &'a ServiceState, name: &str) -> Result<&'a BookFile, ApiError> {
    // An operator who looks for the book learns how to show it.
    let book = service.book.as_ref();
    let book = book.ok_or_else(|| ApiError::new(&problem_kind::NOT_FOUND, NO_BOOK))?;
    book.file(name).ok_or_else(ApiError::not_found)
}

/// Answers a file of the book.
fn of_book(service: &ServiceState, asked: &HeaderMap, name: &str) -> Result<Response, ApiError> {
    let file = found(service, name)?;
    let mut answer = tagged(asked, file.kind, EntityTag::new(&file.digest), || {
        file.bytes.clone()
    });
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, file.policy.clone());
    // A page frames its table of contents in a browser without scripts.
    headers.insert(
        header::X_FRAME_OPTIONS,
        HeaderValue::from_static("SAMEORIGIN"),
    );
    Ok(answer)
}

/// Returns the style sheet of the other pages.
#[utoipa::path(
    get,
    path = "/style.css",
    responses((status = 200, description = "The style sheet", content_type = "text/css; charset=utf-8", body = String), CommonErrors),
)]
pub(crate) async fn style() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE)
}

/// Explains a kind of problem.
#[utoipa::path(
    get,
    path = "/problems/{kind}",
    params(("kind" = String, Path, description = "The last segment of a problem's `type`", example = "unknown-parameter")),
    responses(
        (status = 200, description = "The page", content_type = "text/html; charset=utf-8", body = String),
        NotFoundErrors,
        CommonErrors,
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
    Ok(Html(PROBLEM.replace("<!-- content -->", &content)))
}

/// Escapes text for HTML elements and quoted attributes.
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
