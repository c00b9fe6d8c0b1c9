//! Errors about names that do not exist, with the name that was probably meant.

use docmill_app::tools::meant_tool;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::nearest::nearest;

use super::error::{ApiError, ErrorCode};
use super::routes::ROUTES;

/// There is no such path. Only known names are repeated: a path can hold a secret by mistake.
pub fn route_not_found(path: &str) -> ApiError {
    let error = ApiError::from(ErrorCode::RouteNotFound);
    match meant_route(path) {
        Some(meant) => {
            error.with_message(format!("There is no such path. Did you mean `{meant}`? See /docs for all endpoints."))
        }
        None => error,
    }
}

fn meant_route(path: &str) -> Option<String> {
    let path = path.trim_end_matches('/');
    // All tools have this route.
    let slug = ["/v1/tools/", "/v1/"].into_iter().find_map(|start| path.strip_prefix(start));
    let slug = slug.filter(|slug| !slug.contains('/'));
    if let Some((slug, Ok(catalogue))) = slug.map(|slug| (slug, Catalogue::load()))
        && let Some(meant) = meant_tool(&catalogue, slug)
    {
        return Some(format!("POST /v1/tools/{meant}/jobs"));
    }
    let routes = ROUTES.iter().filter(|(_, template)| !template.contains('{'));
    let meant = nearest(path, routes.map(|(_, template)| *template))?;
    ROUTES.iter().find(|(_, template)| *template == meant).map(|(method, template)| format!("{method} {template}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_nearly_right_leads_to_the_right_one() {
        for (path, meant) in [
            ("/v1/merge-pdf", Some("POST /v1/tools/merge-pdf/jobs")),
            ("/v1/tools/redact-pdf", Some("POST /v1/tools/redact-pdf/jobs")),
            ("/v1/upload", Some("POST /v1/uploads")),
            ("/v1/webhook/", Some("POST /v1/webhooks")),
            ("/wp-login.php", None),
        ] {
            assert_eq!(meant_route(path).as_deref(), meant, "{path}");
        }
        assert!(!route_not_found("/v1/uploads/secret").message.contains("secret"));
    }
}
