//! Compares pairs of files that must agree.

use std::collections::BTreeSet;

use docmill_http::error::ErrorCode;
use docmill_http::routes::{DASHBOARD_ROUTES, MCP_ROUTES, PUBLIC_ROUTES, ROUTES};
use functions::route_fallback;

use crate::support::http::{Answer, RequestBuilder};
use lambda_http::http::Method;

/// A file of the project, by its path from the root.
pub fn file(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_template_has_exactly_the_routes_of_the_code() {
    let template = file("template.yaml");
    let mut routes = BTreeSet::new();
    let lines: Vec<_> = template.lines().map(str::trim).collect();
    for (number, line) in lines.iter().enumerate() {
        let Some(path) = value_of(line, "Path") else { continue };
        // On the path's own line in flow style, or some lines away in the same event.
        let around = &lines[number.saturating_sub(3)..=(number + 3).min(lines.len() - 1)];
        let method = [line]
            .into_iter()
            .chain(around)
            .find_map(|near| value_of(near, "Method"))
            .unwrap_or_else(|| panic!("no method near {path}"));
        routes.insert(format!("{} {path}", method.to_uppercase()));
    }
    let expected = ROUTES.iter().chain(MCP_ROUTES).chain(PUBLIC_ROUTES).chain(DASHBOARD_ROUTES);
    assert_eq!(routes, expected.map(|(method, path)| format!("{method} {path}")).collect());
}

/// The value of `name` in a line of YAML, in block or flow style.
fn value_of<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let rest = &line[line.find(&format!("{name}: "))? + name.len() + 2..];
    // Paths may contain braces, so a flow mapping ends at a comma or at its last brace.
    let value = rest.split(',').next()?.trim();
    let value = if line.contains(": {") && value.matches('}').count() > value.matches('{').count() {
        value.strip_suffix('}')?
    } else {
        value
    };
    Some(value.trim().trim_matches('"').trim_matches('\'')).filter(|value| !value.is_empty())
}

#[test]
fn the_guide_lists_exactly_the_error_codes_of_the_code() {
    let listed: BTreeSet<_> = error_table(&file("functions/api-docs/guides/errors.md"))
        .into_iter()
        .map(|(status, code, _)| (status, code))
        .collect();
    let expected: BTreeSet<_> =
        ErrorCode::ALL.iter().map(|code| (code.status().as_u16(), code.as_str().to_owned())).collect();
    assert_eq!(listed, expected);
}

/// Status, code and explanation of each row in an error table.
pub fn error_table(markdown: &str) -> BTreeSet<(u16, String, String)> {
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
        let status: u16 = cells.next()?.parse().ok()?;
        let code = cells.next()?.trim_matches('`').to_owned();
        Some((status, code, cells.next()?.to_owned()))
    };
    markdown.lines().filter_map(row).collect()
}

#[tokio::test]
async fn unknown_routes_and_wrong_methods_have_envelopes() {
    let ask = async |method: Method, path: &str| {
        let request = RequestBuilder::new(method, path).build();
        Answer::of(route_fallback::handle(std::sync::Arc::new(()), request).await)
    };
    assert_eq!(ask(Method::GET, "/nothing").await.refusal(), (404, "route_not_found"));
    assert_eq!(ask(Method::GET, "/v1/nothing").await.refusal(), (404, "route_not_found"));
    for method in [Method::PUT, Method::HEAD, Method::OPTIONS] {
        let answer = ask(method, "/v1/jobs/6f1c1c2e-0000-7000-8000-000000000000").await;
        assert_eq!(answer.refusal(), (405, "method_not_allowed"));
        assert_eq!(answer.header("allow"), Some("GET, DELETE"));
    }
}
