//! The interface's routes. A test compares them with the template.

use docmill_domain::api_key::ApiKey;
use docmill_domain::batch::BatchId;
use docmill_domain::event::event_time;
use docmill_domain::font::FontId;
use docmill_domain::job::JobId;
use docmill_domain::template::TemplateName;
use docmill_domain::webhook::EndpointId;
use lambda_http::http::Method;

/// No tool has a longer name.
const LONGEST_SLUG: usize = 40;

/// Method and path template of each endpoint, in the order of the documentation.
pub const ROUTES: &[(Method, &str)] = &[
    (Method::GET, "/v1/tools"),
    (Method::GET, "/v1/tools/{tool_slug}/schema"),
    (Method::POST, "/v1/tools/{tool_slug}/jobs"),
    (Method::POST, "/v1/jobs"),
    (Method::GET, "/v1/jobs"),
    (Method::GET, "/v1/jobs/{job_id}"),
    (Method::DELETE, "/v1/jobs/{job_id}"),
    (Method::POST, "/v1/jobs/{job_id}/cancel"),
    (Method::GET, "/v1/jobs/{job_id}/download"),
    (Method::GET, "/v1/jobs/{job_id}/receipt"),
    (Method::POST, "/v1/convert/office-to-pdf"),
    (Method::POST, "/v1/convert/html-to-pdf"),
    (Method::POST, "/v1/convert/{tool_slug}"),
    (Method::POST, "/v1/uploads"),
    (Method::POST, "/v1/fonts"),
    (Method::GET, "/v1/fonts"),
    (Method::DELETE, "/v1/fonts/{font_id}"),
    (Method::POST, "/v1/templates"),
    (Method::GET, "/v1/templates"),
    (Method::GET, "/v1/templates/{template_name}"),
    (Method::DELETE, "/v1/templates/{template_name}"),
    (Method::POST, "/v1/batches"),
    (Method::GET, "/v1/batches"),
    (Method::GET, "/v1/batches/{batch_id}"),
    (Method::DELETE, "/v1/batches/{batch_id}"),
    (Method::GET, "/v1/batches/{batch_id}/jobs"),
    (Method::GET, "/v1/batches/{batch_id}/download"),
    (Method::POST, "/v1/batches/{batch_id}/cancel"),
    (Method::POST, "/v1/batches/{batch_id}/resume"),
    (Method::GET, "/v1/account/usage"),
    (Method::GET, "/v1/events"),
    (Method::GET, "/v1/events/{event_id}"),
    (Method::POST, "/v1/webhooks"),
    (Method::GET, "/v1/webhooks"),
    (Method::GET, "/v1/webhooks/{webhook_id}"),
    (Method::PATCH, "/v1/webhooks/{webhook_id}"),
    (Method::DELETE, "/v1/webhooks/{webhook_id}"),
    (Method::POST, "/v1/webhooks/{webhook_id}/rotate"),
    (Method::GET, "/v1/webhooks/{webhook_id}/deliveries"),
    (Method::POST, "/v1/webhooks/{webhook_id}/replay"),
    (Method::POST, "/v1/webhooks/test"),
];

/// The path of the public keys of receipts.
pub const RECEIPT_KEYS: &str = "/.well-known/docmill-receipts.json";

/// The route of the Model Context Protocol, with a key.
pub const MCP_ROUTES: &[(Method, &str)] = &[(Method::POST, "/mcp")];

/// Routes without a key: the OpenAPI description, the documentation with its list of pages for language models, and the public
/// keys of webhooks and receipts.
pub const PUBLIC_ROUTES: &[(Method, &str)] = &[
    (Method::GET, "/openapi.json"),
    (Method::GET, "/openapi-3.0.json"),
    (Method::GET, "/llms.txt"),
    (Method::GET, "/docs"),
    (Method::HEAD, "/docs"),
    (Method::GET, "/docs/{page+}"),
    (Method::GET, "/.well-known/docmill-webhooks.json"),
    (Method::GET, RECEIPT_KEYS),
];

/// The dashboard's routes: public ones, for signed-in users, and for administrators. `{page+}` is any path below.
pub const DASHBOARD_ROUTES: &[(Method, &str)] = &[
    (Method::GET, "/"),
    (Method::HEAD, "/"),
    (Method::GET, "/tools"),
    (Method::GET, "/tools/{page+}"),
    (Method::GET, "/plans"),
    (Method::GET, "/favicon.ico"),
    (Method::GET, "/robots.txt"),
    (Method::GET, "/sitemap.xml"),
    (Method::GET, "/assets/{file}"),
    (Method::GET, "/app"),
    (Method::GET, "/app/{page+}"),
    (Method::POST, "/app/{page+}"),
    (Method::GET, "/admin"),
    (Method::GET, "/admin/{page+}"),
    (Method::POST, "/admin/{page+}"),
];

/// The methods of `path` for an `Allow` header; `None` if there is no such path.
pub fn allowed_methods(path: &str) -> Option<String> {
    let routes = ROUTES.iter().chain(MCP_ROUTES).chain(PUBLIC_ROUTES).chain(DASHBOARD_ROUTES);
    let methods: Vec<_> =
        routes.filter(|(_, template)| matches(template, path)).map(|(method, _)| method.as_str()).collect();
    (!methods.is_empty()).then(|| methods.join(", "))
}

/// The gateway's name for the route that handles everything else.
pub const FALLBACK: &str = "$default";

/// The gateway's name for a request's route: method and path template.
pub fn route_of(method: &Method, path: &str) -> String {
    let mut routes = ROUTES.iter().chain(MCP_ROUTES).chain(PUBLIC_ROUTES);
    let found = routes.find(|(wanted, template)| wanted == method && matches(template, path));
    found.map_or_else(|| FALLBACK.to_owned(), |(method, template)| format!("{method} {template}"))
}

/// The path of a request for logs: as its route declares it, with the ids and names that have the form of some. Anything else in
/// their place stays out, because a client can put secrets there by mistake. `None` if there is no such route.
pub fn shown_path(method: &Method, path: &str) -> Option<String> {
    let mut routes = ROUTES.iter().chain(MCP_ROUTES);
    let (_, template) = routes.find(|(wanted, template)| wanted == method && matches(template, path))?;
    let parts = template.split('/').zip(path.split('/'));
    let shown: Vec<_> = parts.map(|(wanted, given)| if is_plain(wanted, given) { given } else { wanted }).collect();
    Some(shown.join("/"))
}

/// Whether a part of a path is what the template has there, or an id or name of the kind that it wants.
fn is_plain(wanted: &str, given: &str) -> bool {
    let is_slug = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    match wanted {
        "{job_id}" => JobId::parse(given).is_some(),
        "{batch_id}" => BatchId::parse(given).is_some(),
        "{event_id}" => event_time(given).is_some(),
        "{font_id}" => FontId::parse(given).is_some(),
        "{webhook_id}" => EndpointId::parse(given).is_some(),
        "{template_name}" => TemplateName::parse(given).is_some() && ApiKey::parse(given).is_none(),
        "{tool_slug}" => given.len() <= LONGEST_SLUG && given.bytes().all(is_slug),
        literal => literal == given,
    }
}

fn matches(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given)) if wanted == given => {}
            (Some(wanted), Some(given)) if wanted.ends_with("+}") => return !given.is_empty(),
            (Some(wanted), Some(given)) if wanted.starts_with('{') && !given.is_empty() => {}
            (Some(_), _) | (None, Some(_)) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_match_their_templates() {
        assert_eq!(allowed_methods("/v1/jobs"), Some("POST, GET".into()));
        assert_eq!(allowed_methods("/v1/jobs/abc"), Some("GET, DELETE".into()));
        assert_eq!(allowed_methods("/v1/tools/x/jobs"), Some("POST".into()));
        assert_eq!(allowed_methods("/docs"), Some("GET, HEAD".into()));
        assert_eq!(allowed_methods("/mcp"), Some("POST".into()));
        assert_eq!(route_of(&Method::GET, "/v1/jobs/abc"), "GET /v1/jobs/{job_id}");
        assert_eq!(route_of(&Method::GET, "/docs/tools/merge-pdf"), "GET /docs/{page+}");
        assert_eq!(route_of(&Method::POST, "/mcp"), "POST /mcp");
        for (method, path) in
            [(Method::GET, "/v1/jobs/abc/x"), (Method::PUT, "/v1/jobs/abc"), (Method::PATCH, "/v1/jobs")]
        {
            assert_eq!(route_of(&method, path), "$default", "{method} {path}");
        }
        for (page, methods) in
            [("/", "GET, HEAD"), ("/app", "GET"), ("/app/keys/key_1/revoke", "GET, POST"), ("/tools/a/b", "GET")]
        {
            assert_eq!(allowed_methods(page).as_deref(), Some(methods), "{page}");
        }
        for unknown in ["/v1", "/app/", "/assets/a/b", "/v1/jobs/", "/v1/jobs/a/b", "/v2/jobs", "/v1/tools//schema", ""]
        {
            assert_eq!(allowed_methods(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn a_shown_path_has_ids_and_no_secrets() {
        let key = ApiKey::generate(docmill_domain::api_key::Mode::Live);
        let key = key.reveal();
        let job = "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90";
        for (method, path, shown) in [
            (Method::POST, "/v1/jobs".to_owned(), Some("/v1/jobs".to_owned())),
            (Method::GET, format!("/v1/jobs/{job}/download"), Some(format!("/v1/jobs/{job}/download"))),
            (Method::GET, "/v1/jobs/Secret 1".to_owned(), Some("/v1/jobs/{job_id}".to_owned())),
            (Method::GET, format!("/v1/jobs/{key}"), Some("/v1/jobs/{job_id}".to_owned())),
            (Method::POST, "/v1/convert/merge-pdf".to_owned(), Some("/v1/convert/merge-pdf".to_owned())),
            (Method::POST, format!("/v1/convert/{key}"), Some("/v1/convert/{tool_slug}".to_owned())),
            (Method::GET, "/v1/templates/Invoice_2".to_owned(), Some("/v1/templates/Invoice_2".to_owned())),
            (Method::GET, format!("/v1/templates/{key}"), Some("/v1/templates/{template_name}".to_owned())),
            (Method::GET, "/v1/webhooks/x".to_owned(), Some("/v1/webhooks/{webhook_id}".to_owned())),
            (Method::POST, "/mcp".to_owned(), Some("/mcp".to_owned())),
            (Method::GET, "/docs".to_owned(), None),
            (Method::GET, format!("/v1/{key}"), None),
        ] {
            assert_eq!(shown_path(&method, &path), shown, "{method} {path}");
        }
    }
}
