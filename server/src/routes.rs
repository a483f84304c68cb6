//! Routes: the addresses, their required access, and their OpenAPI description, which comes from
//! the handlers.

use std::sync::Arc;

use answers::openapi::Schemas;
use axum::{Router, middleware};
use store::TokenScope::{Admin, Agent, Read, Submit};
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Header, HeaderBuilder, Ref, RefOr, Required, Response, Type};
use utoipa::{IntoResponses as _, OpenApi};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouter};
use utoipa_axum::routes;

use crate::access::RequiredAccess::{self, Nothing, Scope, Waits};
use crate::access::{self, AccessCheck, AccessPolicy};
use crate::api::configurations::{self, Questions};
use crate::api::explanations::{self, ExplanationRequest, KernelExplanationRequest};
use crate::api::models::ModelRequest;
use crate::api::problem_check::Draft;
use crate::api::studies::{self, SubmissionRequest};
use crate::api::wire;
use crate::api::wishes::{self, Dismissal};
use crate::api::{
    agents, best, builds, description, devices, events, exports, health, imports, kernels, leases,
    models, problem_check, problems, records, regressions, report, status, study_upkeep,
    trial_columns, trials, tuned_configurations,
};
use crate::body::EmptyBody;
use crate::error_responses::{self, CompressionErrors, TokenErrors};
use crate::{ServiceState, compression, page};

/// The head of the description.
#[derive(OpenApi)]
#[openapi(info(
    title = "wavetune",
    description = "Returns the fastest correct kernel configuration of a reduction on an AMD GPU. \
                   Every error is problem details (RFC 9457). A service that listens only on loopback requires no token \
                   by default. Any other service requires the scopes that `security` of an operation names."
))]
struct Document;

type Methods = UtoipaMethodRouter<Arc<ServiceState>>;

/// Returns all operations with their required access. No route exists beside it. Large answers
/// are compressed.
fn table() -> Vec<(RequiredAccess, Methods)> {
    vec![
        // The files of the dashboard are the same for everybody; the data needs a token.
        (Nothing, packed(routes!(page::page))),
        (Nothing, packed(routes!(page::file))),
        (Nothing, routes!(page::book_address)),
        (Nothing, packed(routes!(page::book))),
        (Nothing, packed(routes!(page::book_file))),
        (Nothing, routes!(page::style)),
        (Nothing, routes!(page::problem)),
        (Nothing, routes!(health::health)),
        (Nothing, routes!(health::readiness)),
        (Nothing, packed(routes!(description::openapi))),
        (Nothing, routes!(description::docs)),
        (Nothing, packed(routes!(description::docs_script))),
        // A public key is no secret.
        (Nothing, routes!(builds::key)),
        (Scope(Read), packed(routes!(health::metrics))),
        (Scope(Read), routes!(configurations::configurations)),
        (Scope(Read), packed(routes!(configurations::batch))),
        (Scope(Read), packed(routes!(configurations::rankings))),
        (Scope(Read), routes!(best::best)),
        (Scope(Read), packed(routes!(tuned_configurations::tuned))),
        (
            Scope(Read),
            packed(routes!(tuned_configurations::tuned_map)),
        ),
        (Scope(Read), packed(routes!(regressions::regressions))),
        (Scope(Read), packed(routes!(problems::problems))),
        (Scope(Read), routes!(problem_check::check)),
        (Scope(Read), packed(routes!(devices::devices))),
        (Scope(Read), packed(routes!(explanations::explanations))),
        (Scope(Read), packed(routes!(explanations::kernel))),
        (Scope(Read), routes!(status::status)),
        (Scope(Read), packed(routes!(exports::iree))),
        (Scope(Read), packed(routes!(exports::splits))),
        (Scope(Read), routes!(kernels::kernels)),
        (Scope(Read), packed(routes!(wishes::wishes))),
        (Scope(Read), packed(routes!(agents::agents))),
        (Scope(Read), packed(routes!(studies::list))),
        (Scope(Read), routes!(studies::one)),
        (Waits(Read), routes!(events::events)),
        (Scope(Read), packed(routes!(report::report))),
        (Scope(Read), packed(routes!(trials::of_study))),
        (Scope(Read), packed(routes!(trials::of_all))),
        (Scope(Read), packed(routes!(trials::of_place))),
        (Scope(Read), packed(routes!(trial_columns::columns))),
        (Scope(Read), packed(routes!(records::records))),
        (Scope(Read), packed(routes!(records::record))),
        (Scope(Read), packed(routes!(models::models))),
        (Scope(Read), packed(routes!(models::model))),
        (Waits(Read), routes!(models::model_events)),
        (Scope(Submit), routes!(models::submit_model)),
        (Scope(Admin), routes!(models::delete_model)),
        (Scope(Submit), routes!(studies::submit)),
        (Scope(Submit), routes!(studies::pause)),
        (Scope(Submit), routes!(studies::resume)),
        (Scope(Submit), routes!(studies::cancel)),
        (Scope(Submit), routes!(study_upkeep::requeue)),
        (Scope(Admin), routes!(study_upkeep::delete)),
        (Scope(Admin), routes!(imports::import)),
        (Waits(Agent), routes!(leases::lease)),
        (Scope(Agent), routes!(leases::stay)),
        (Scope(Agent), routes!(leases::tell)),
        (Scope(Agent), routes!(leases::give_back)),
        (Waits(Agent), routes!(builds::build)),
        (Scope(Agent), routes!(builds::hand_in)),
        (Scope(Admin), routes!(wishes::dismiss)),
    ]
}

/// Returns the routes of health probes, which need no token.
pub(crate) fn of_probes() -> Router<Arc<ServiceState>> {
    let routes = OpenApiRouter::new().routes(routes!(health::health));
    routes.routes(routes!(health::readiness)).into()
}

/// Adds compression to these operations.
fn packed((schemas, mut paths, methods): Methods) -> Methods {
    for operation in paths.paths.values_mut().flat_map(operations) {
        operation
            .responses
            .responses
            .extend(CompressionErrors::responses());
    }
    (schemas, paths, compression::packed(methods))
}

/// Returns the router of all addresses, and their description as JSON. Both come from the
/// annotations of the handlers.
pub(crate) fn routes(access: &Arc<AccessPolicy>) -> (Router<Arc<ServiceState>>, String) {
    let mut routes = OpenApiRouter::with_openapi(Document::openapi());
    for (needs, (schemas, mut paths, methods)) in table() {
        for operation in paths.paths.values_mut().flat_map(operations) {
            secure(operation, needs);
            if let Some(RefOr::T(body)) = &mut operation.request_body {
                // With a required body, a generated client also sends the content type JSON.
                body.required = Some(Required::True);
            }
        }
        let access = Arc::clone(access);
        let door = middleware::from_fn_with_state(AccessCheck { access, needs }, access::pass);
        // `route_layer` runs for existing routes only: an unknown address is 404 for everybody.
        routes = routes.routes((schemas, paths, methods.route_layer(door)));
    }
    let (router, mut document) = routes.split_for_parts();
    // OpenAPI writes a parameter for the rest of an address without the `*`.
    let paths = std::mem::take(&mut document.paths.paths).into_iter();
    document.paths.paths = paths
        .map(|(path, item)| (path.replace("{*", "{"), item))
        .collect();
    let own = document.paths.paths.values_mut().flat_map(operations);
    let own = own.flat_map(|operation| operation.responses.responses.values_mut());
    for response in own {
        if let RefOr::T(response) = response {
            has_id(response);
        }
    }
    let components = document.components.get_or_insert_default();
    let header = (REQUEST_ID.to_owned(), request_id().into());
    components.headers.extend([header]);
    for (name, mut response) in error_responses::described() {
        has_id(&mut response);
        components.responses.insert(name, response.into());
    }
    let scheme = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some(
            "A token that `wavetune token create` printed; the roles are its scopes",
        ))
        .build();
    components.add_security_scheme(TOKEN, SecurityScheme::Http(scheme));
    let schemas = Schemas::printed()
        .with_request::<Questions>()
        .with_request::<SubmissionRequest>()
        .with_request::<ModelRequest>()
        .with_request::<ExplanationRequest>()
        .with_request::<KernelExplanationRequest>()
        .with_request::<Draft>()
        .with_request::<Dismissal>()
        .with_request::<EmptyBody>();
    let schemas = wire::described(schemas);
    (router, schemas.document(&document))
}

fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let methods = [
        &mut item.get,
        &mut item.post,
        &mut item.put,
        &mut item.patch,
        &mut item.delete,
    ];
    methods.into_iter().flatten()
}

/// The name of the security scheme.
const TOKEN: &str = "token";

/// Describes the required access of an operation.
fn secure(operation: &mut Operation, needs: RequiredAccess) {
    let shown = needs.scope();
    let shown = shown.map(|scope| SecurityRequirement::new(TOKEN, [scope.name()]));
    operation.security = Some(Vec::from_iter(shown));
    if needs != Nothing {
        let refused = TokenErrors::responses();
        operation.responses.responses.extend(refused);
    }
}

/// Describes the request ID of a response.
fn has_id(response: &mut Response) {
    let header = Ref::new(format!("#/components/headers/{REQUEST_ID}"));
    let headers = &mut response.headers;
    headers.insert(REQUEST_ID.to_owned(), RefOr::Ref(header));
}

/// The header of every response.
const REQUEST_ID: &str = "X-Request-Id";

fn request_id() -> Header {
    HeaderBuilder::new()
        .schema(Some(utoipa::openapi::Object::with_type(Type::String)))
        .description(Some(
            "The request's ID, as in the log. The service keeps a client's ID of 1 to 64 characters from A-Z, a-z, 0-9, `.`, `_` and `-`.",
        ))
        .build()
}
