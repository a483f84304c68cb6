//! Configurations: which is to be used for a problem, asked one by one or many at once.

use std::sync::Arc;

use answers::http::{Batch, Reply};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use configgen::Generator;
use lookup::{Request, Told};
use serde::Deserialize;
use store::StoreError;

use crate::body::Body;
use crate::error::json;
use crate::parameters::{self, RawQuery, parameters};
use crate::tag::tagged;
use crate::{ApiError, Service};

/// Asks that a question which nothing answers is noted, to be tuned.
const WISH: HeaderName = HeaderName::from_static("wavetune-wish");

/// `GET /api/v1/configurations?problem=&target=[&device=][&generator=][&ties=]`: the configuration to use.
///
/// 200 with the answer that `wavetune lookup` prints, and 304 for who has it; 404 with the same where nothing is known, which
/// is noted where the header `Wavetune-Wish: yes` asks for it; 400 where a parameter is missing, unknown or wrong.
pub(crate) async fn configurations(
    State(service): State<Arc<Service>>,
    headers: HeaderMap,
    query: RawQuery,
) -> Result<Response, ApiError> {
    let request = request(query, service.catalogue.generators())?;
    let told = answer(&service, &request, is_wished(&headers)?).await?;
    Ok(match told {
        Told::Found(line) => tagged(&headers, line.as_str()),
        Told::Miss(miss) => json(StatusCode::NOT_FOUND, &miss),
    })
}

/// What is answered to a request: from memory, where it is there.
async fn answer(service: &Service, request: &Request, is_wished: bool) -> Result<Told, StoreError> {
    let catalogue = service.catalogue.as_ref();
    let mut told = match service.known.answer(request) {
        Some(told) => told,
        None => Told::from(lookup::look(catalogue, request).await?),
    };
    if let Told::Miss(miss) = &mut told
        && is_wished
    {
        lookup::note(catalogue, request, miss).await;
    }
    Ok(told)
}

/// Questions at once at most.
const QUESTIONS: usize = 1000;

/// The body of many questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Questions {
    questions: Vec<Question>,
    /// Whether what is not found is to be noted.
    #[serde(default)]
    wish: bool,
}

/// What the parameters of `GET /api/v1/configurations` say, and one of many questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    problem: Option<String>,
    target: Option<String>,
    device: Option<String>,
    generator: Option<String>,
    ties: Option<String>,
}

/// `POST /api/v1/configurations:batch`: the configurations to use, of many questions.
///
/// 200 with an answer to each: what it gets alone, or the error; 400 where the body is not what it should be, 413 where it
/// is too long.
pub(crate) async fn batch(
    State(service): State<Arc<Service>>,
    Body(Questions { questions, wish }): Body<Questions>,
) -> Result<Response, ApiError> {
    if questions.len() > QUESTIONS {
        return Err(ApiError::too_many(questions.len(), QUESTIONS));
    }
    let mut answers = Vec::with_capacity(questions.len());
    for question in questions {
        let request = question.request(service.catalogue.generators());
        answers.push(match request {
            Err(error) => Reply::Problem(error.details()),
            Ok(request) => match answer(&service, &request, wish).await? {
                Told::Found(line) => Reply::Found(line),
                Told::Miss(miss) => Reply::Miss(miss),
            },
        });
    }
    Ok(json(StatusCode::OK, &Batch { answers }))
}

/// Whether what is not found is to be noted. A header of our own has to say so: a page of another site can have a browser
/// send any address, and no such header.
fn is_wished(headers: &HeaderMap) -> Result<bool, ApiError> {
    match headers.get(WISH).map(HeaderValue::as_bytes) {
        None => Ok(false),
        Some(b"yes") => Ok(true),
        Some(_) => Err(ApiError::header(WISH.as_str(), "yes")),
    }
}

fn request(query: RawQuery, generators: &[Generator]) -> Result<Request, ApiError> {
    let [problem, target, device, generator, ties] =
        parameters(query, ["problem", "target", "device", "generator", "ties"])?;
    let question = Question {
        problem,
        target,
        device,
        generator,
        ties,
    };
    question.request(generators)
}

impl Question {
    fn request(self, generators: &[Generator]) -> Result<Request, ApiError> {
        let problem = self.problem.ok_or_else(|| ApiError::missing("problem"))?;
        let target = self.target.ok_or_else(|| ApiError::missing("target"))?;
        let target = parameters::target(&target)?;
        Ok(Request {
            problem: parameters::problem(&problem)?,
            target: Some(target),
            device: self.device,
            generator: parameters::generator(self.generator, generators)?,
            ties: parameters::ties(self.ties)?,
        })
    }
}
