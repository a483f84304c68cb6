//! Parameters of an address: each known, each at most once.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;

use crate::ApiError;

/// What the extractor made of a request's query.
pub(crate) type RawQuery = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// The values of the parameters `names`, in this order.
pub(crate) fn parameters<const N: usize>(
    query: RawQuery,
    names: [&'static str; N],
) -> Result<[Option<String>; N], ApiError> {
    let Query(pairs) = query.map_err(|rejection| ApiError::query(rejection.body_text()))?;
    let mut values = [const { None }; N];
    for (name, value) in pairs {
        let Some(place) = names.iter().position(|known| *known == name) else {
            return Err(ApiError::unknown(&name, &names));
        };
        if values[place].replace(value).is_some() {
            return Err(ApiError::repeated(&name));
        }
    }
    Ok(values)
}
