//! Errors about names that do not exist, with the name that was probably meant.

use docmill_app::tools::meant_tool;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::nearest::nearest;

use lambda_http::http::Method;

use super::error::{ApiError, ErrorCode};
use super::routes::ROUTES;

/// There is no such path. Only known names are repeated: a path can hold a secret by mistake.
pub fn route_not_found(method: &Method, path: &str) -> ApiError {
    let error = ApiError::from(ErrorCode::RouteNotFound);
    match meant_route(method, path) {
        Some(meant) => {
            error.with_message(format!("There is no such path. Did you mean `{meant}`? See /docs for all endpoints."))
        }
        None => error,
    }
}

fn meant_route(method: &Method, path: &str) -> Option<String> {
    let path = path.trim_end_matches('/');
    // All tools have these routes.
    let slug = ["/v1/tools/", "/v1/"].into_iter().find_map(|start| path.strip_prefix(start));
    let slug = slug.filter(|slug| !slug.contains('/'));
    if let Some((slug, Ok(catalogue))) = slug.map(|slug| (slug, Catalogue::load()))
        && let Some(meant) = meant_tool(&catalogue, slug)
    {
        let (method, end) = if method == Method::GET { (Method::GET, "schema") } else { (Method::POST, "jobs") };
        return Some(format!("{method} /v1/tools/{meant}/{end}"));
    }
    let routes = ROUTES.iter().filter(|(_, template)| !template.contains('{'));
    let meant = nearest(path, routes.map(|(_, template)| *template))?;
    let mut there: Vec<_> = ROUTES.iter().filter(|(_, template)| *template == meant).collect();
    there.sort_by_key(|(known, _)| known != method);
    there.first().map(|(method, template)| format!("{method} {template}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_nearly_right_leads_to_the_right_one() {
        for (method, path, meant) in [
            (Method::POST, "/v1/merge-pdf", Some("POST /v1/tools/merge-pdf/jobs")),
            (Method::POST, "/v1/tools/redact-pdf", Some("POST /v1/tools/redact-pdf/jobs")),
            (Method::GET, "/v1/tools/redact-pdf", Some("GET /v1/tools/redact-pdf/schema")),
            (Method::GET, "/v1/upload", Some("POST /v1/uploads")),
            (Method::POST, "/v1/webhook/", Some("POST /v1/webhooks")),
            (Method::GET, "/v1/webhook", Some("GET /v1/webhooks")),
            (Method::GET, "/v1/job", Some("GET /v1/jobs")),
            (Method::POST, "/v1/job", Some("POST /v1/jobs")),
            (Method::GET, "/wp-login.php", None),
        ] {
            assert_eq!(meant_route(&method, path).as_deref(), meant, "{method} {path}");
        }
        assert!(!route_not_found(&Method::GET, "/v1/uploads/secret").message.contains("secret"));
    }
}
