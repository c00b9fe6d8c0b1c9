//! Responses to pages that a page leads on to, by a refresh or a script.

use serde_json::{Value, json};

use super::client::Command;
use crate::proxy::PROXY_STATUS;

/// Answers a request that is paused with its response: if the further page can't be had, the browser stays where it is, and would
/// otherwise show an empty page instead. `None` for requests without a response.
pub(super) fn answer_response(params: &Value) -> Option<Command> {
    let has_error = params.get("responseErrorReason").is_some();
    if !has_error && params.get("responseStatusCode").is_none() {
        return None;
    }
    let id = &params["requestId"];
    let from_proxy =
        |header: &Value| header["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case(PROXY_STATUS));
    let is_refused = params["responseHeaders"].as_array().is_some_and(|headers| headers.iter().any(from_proxy));
    Some(if has_error || is_refused {
        Command { method: "Fetch.failRequest", params: json!({"requestId": id, "errorReason": "Aborted"}) }
    } else {
        Command { method: "Fetch.continueRequest", params: json!({"requestId": id}) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_that_cannot_be_had_are_given_up() {
        let answer = |response: Value| answer_response(&response).map(|command| command.method);
        let refusal = json!([{"name": "Proxy-Status", "value": "docmill"}]);
        assert_eq!(answer(json!({"responseErrorReason": "Failed"})), Some("Fetch.failRequest"));
        assert_eq!(answer(json!({"responseStatusCode": 403, "responseHeaders": refusal})), Some("Fetch.failRequest"));
        assert_eq!(answer(json!({"responseStatusCode": 404, "responseHeaders": []})), Some("Fetch.continueRequest"));
        assert_eq!(answer(json!({"request": {}})), None);
    }
}
