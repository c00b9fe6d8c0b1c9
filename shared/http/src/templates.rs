//! Stored templates over HTTP.

use docmill_domain::breach::Breach;
use docmill_domain::template;

use super::error::ApiError;
use super::request::ApiRequest;

/// The version that a request's query names. A misspelled parameter must not mean all versions.
///
/// # Errors
/// If the query is anything else.
pub fn version_of(request: &ApiRequest) -> Result<Option<u32>, ApiError> {
    let invalid = |breaches| ApiError::validation(breaches).with_message("The request is invalid. See `details`.");
    match request.query.as_slice() {
        [] => Ok(None),
        [(name, number)] if name == "version" => template::version_number(number).map(Some).map_err(invalid),
        _ => Err(invalid(vec![Breach::new("?version", "is the only parameter, and can be given once")])),
    }
}
