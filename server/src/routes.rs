//! The addresses, and their description: an OpenAPI document, which is made from the handlers.

use std::sync::Arc;

use answers::openapi::Schemas;
use axum::Router;
use utoipa::OpenApi;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{Header, HeaderBuilder, Ref, RefOr, Type};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::api::configurations::{self, Questions};
use crate::api::studies::{self, Wanted};
use crate::api::wishes::{self, Dismissal};
use crate::api::{
    agents, best, description, devices, events, exports, health, leases, problems, regressions,
    report, trials, upkeep,
};
use crate::{Service, page, refused};

/// What the description says of the whole.
#[derive(OpenApi)]
#[openapi(info(
    title = "wavetune",
    description = "Which kernel configuration is the fastest right one for this reduction on this AMD GPU? \
                   Every error is a problem (RFC 9457). There is no authentication."
))]
struct Document;

/// All addresses, and their description as JSON. Each of both comes from the annotation of a handler.
pub(crate) fn routes() -> (Router<Arc<Service>>, String) {
    let routes = OpenApiRouter::with_openapi(Document::openapi())
        .routes(routes!(page::page))
        .routes(routes!(page::style))
        .routes(routes!(page::problem))
        .routes(routes!(health::health))
        .routes(routes!(health::readiness))
        .routes(routes!(health::metrics))
        .routes(routes!(description::openapi))
        .routes(routes!(description::docs))
        .routes(routes!(description::docs_script))
        .routes(routes!(configurations::configurations))
        .routes(routes!(configurations::batch))
        .routes(routes!(best::best))
        .routes(routes!(regressions::regressions))
        .routes(routes!(studies::list, studies::submit))
        .routes(routes!(studies::one, upkeep::delete))
        .routes(routes!(report::report))
        .routes(routes!(trials::of_study))
        .routes(routes!(trials::of_all))
        .routes(routes!(upkeep::requeue))
        .routes(routes!(studies::pause))
        .routes(routes!(studies::resume))
        .routes(routes!(studies::cancel))
        .routes(routes!(events::events))
        .routes(routes!(agents::agents))
        .routes(routes!(leases::lease))
        .routes(routes!(leases::stay))
        .routes(routes!(leases::tell))
        .routes(routes!(leases::give_back))
        .routes(routes!(problems::problems))
        .routes(routes!(devices::devices))
        .routes(routes!(exports::iree))
        .routes(routes!(wishes::wishes))
        .routes(routes!(wishes::dismiss));
    let (router, mut document) = routes.split_for_parts();
    let components = document.components.get_or_insert_default();
    components.responses = refused::all();
    let header = (REQUEST_ID.to_owned(), request_id().into());
    components.headers.extend([header]);
    let operations = document.paths.paths.values_mut().flat_map(operations);
    let own = operations.flat_map(|it| it.responses.responses.values_mut());
    for response in own.chain(components.responses.values_mut()) {
        if let RefOr::T(response) = response {
            let header = Ref::new(format!("#/components/headers/{REQUEST_ID}"));
            response
                .headers
                .insert(REQUEST_ID.to_owned(), RefOr::Ref(header));
        }
    }
    let schemas = Schemas::printed()
        .and_read::<Questions>()
        .and_read::<Wanted>()
        .and_read::<Dismissal>();
    (router, schemas.document(&document))
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let methods = [&mut item.get, &mut item.post, &mut item.delete];
    methods.into_iter().flatten()
}

/// The header of every response.
const REQUEST_ID: &str = "X-Request-Id";

fn request_id() -> Header {
    HeaderBuilder::new()
        .schema(Some(utoipa::openapi::Object::with_type(Type::String)))
        .description(Some(
            "The request's id, as it is in the log: the client's, where that is 1 to 64 of A-Z, a-z, 0-9, `.`, `_` and `-`.",
        ))
        .build()
}
