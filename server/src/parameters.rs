//! Query parameters: each is known, and occurs at most once.

pub(crate) use axum::extract::RawQuery;
use configgen::{ElementType, Generator, Problem, Target};
use store::Ties;

use crate::ApiError;

/// Parses the parameters `names`, and returns their values in this order.
pub(crate) fn parameters<const N: usize>(
    query: RawQuery,
    names: [&'static str; N],
) -> Result<[Option<String>; N], ApiError> {
    let (values, _) = parameters_and(query, names, None)?;
    Ok(values)
}

/// Parses the same, and returns all values of the parameter `listed`, which may occur several
/// times.
pub(crate) fn parameters_and<const N: usize>(
    RawQuery(query): RawQuery,
    names: [&'static str; N],
    listed: Option<&'static str>,
) -> Result<([Option<String>; N], Vec<String>), ApiError> {
    let pairs = form_urlencoded::parse(query.as_deref().unwrap_or_default().as_bytes());
    let (mut values, mut list) = ([const { None }; N], Vec::new());
    for (name, value) in pairs {
        if listed.is_some_and(|listed| listed == name) {
            list.push(value.into_owned());
            continue;
        }
        // An unknown parameter is refused: a misspelt filter must not return everything.
        let Some(place) = names.iter().position(|known| *known == name) else {
            let known: Vec<&str> = names.into_iter().chain(listed).collect();
            return Err(ApiError::unknown(&name, &known));
        };
        if values[place].replace(value.into_owned()).is_some() {
            return Err(ApiError::repeated(&name));
        }
    }
    Ok((values, list))
}

/// Parses the parameter `problem`.
pub(crate) fn problem(text: &str) -> Result<Problem, ApiError> {
    text.parse().map_err(|error| ApiError::problem(&error))
}

/// Parses the parameter `target`.
pub(crate) fn target(name: &str) -> Result<&'static Target, ApiError> {
    name.parse()
        .map_err(|error| ApiError::value("target", error))
}

/// Parses the parameter `element`.
pub(crate) fn element(name: &str) -> Result<ElementType, ApiError> {
    let element = ElementType::ALL.into_iter().find(|it| it.name() == name);
    element.ok_or_else(|| {
        let names = ElementType::ALL.map(ElementType::name).join(", ");
        ApiError::value("element", format_args!("an element must be one of {names}"))
    })
}

/// Default number of rows in a page of a list.
const LIMIT: usize = 100;

/// Most rows in a page of a list.
const MOST: usize = 1000;

/// Parses the parameter `limit`.
pub(crate) fn limit(text: Option<String>) -> Result<usize, ApiError> {
    let limit = text.map_or(Ok(LIMIT), |text| text.parse());
    let limit = limit.ok().filter(|limit| (1..=MOST).contains(limit));
    limit.ok_or_else(|| {
        ApiError::value(
            "limit",
            format_args!("a limit must be a number from 1 to {MOST}"),
        )
    })
}

/// Parses the parameter `generator`, one of these.
pub(crate) fn generator(
    name: Option<String>,
    generators: &[Generator],
) -> Result<Option<Generator>, ApiError> {
    let generator = name.map(|name| Generator::among(generators, &name));
    let generator = generator.transpose();
    generator.map_err(|error| ApiError::value("generator", error))
}

/// Parses a parameter that names one of these values.
pub(crate) fn named<T: Copy>(
    parameter: &'static str,
    text: &str,
    all: &[T],
    name: fn(T) -> &'static str,
) -> Result<T, ApiError> {
    let found = all.iter().copied().find(|&one| name(one) == text);
    found.ok_or_else(|| {
        let known: Vec<&str> = all.iter().map(|&one| name(one)).collect();
        let known = known.join(", ");
        ApiError::value(parameter, format!("unknown {parameter}; one of {known}"))
    })
}

/// Parses the parameter `ties`.
pub(crate) fn ties(name: Option<String>) -> Result<Ties, ApiError> {
    let ties = name.map_or(Ok(Ties::default()), |name| name.parse());
    ties.map_err(|error| ApiError::value("ties", error))
}
