//! Files that browsers and search engines ask for at fixed addresses.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use docmill_site::listing::Listing;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const XML: HeaderValue = HeaderValue::from_static("application/xml; charset=utf-8");

/// Pages for everybody may be searched; those of accounts need a sign-in anyway.
pub(super) async fn robots(State(state): State<AppState>) -> Response {
    let private = ["/app", "/admin", "/v1/"].map(|path| format!("Disallow: {}\n", state.link(path))).concat();
    let text = format!("User-agent: *\n{private}Sitemap: {}\n", state.absolute("/sitemap.xml"));
    ([(header::CONTENT_TYPE, TEXT)], text).into_response()
}

/// Public pages, the guides and the documentation of each tool. Pages of endpoints and errors are found through their lists.
pub(super) async fn sitemap(State(state): State<AppState>, viewer: Viewer) -> Response {
    let tools = Listing::shown(&state, &viewer, |visibility| visibility.public);
    let tools = tools.iter().map(|listing| &listing.definition.slug);
    let pages = ["/", "/tools", "/plans", "/docs", "/docs/tools", "/docs/api", "/docs/errors"].map(str::to_owned);
    let guides = docmill_look::GUIDES
        .iter()
        .flat_map(|group| group.guides)
        .copied()
        .chain(docmill_look::LEGAL.map(|(page, _)| page));
    let pages = pages.into_iter().chain(guides.map(|page| format!("/docs/{page}")));
    let pages = pages.chain(tools.flat_map(|slug| [format!("/tools/{slug}"), format!("/docs/tools/{slug}")]));
    // Paths are made of slugs, and the address is a parsed URL: neither has characters that XML needs escaped but `&`.
    let entry = |path: String| format!("  <url><loc>{}</loc></url>\n", state.absolute(&path).replace('&', "&amp;"));
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n{}</urlset>\n",
        pages.map(entry).collect::<String>(),
    );
    ([(header::CONTENT_TYPE, XML)], text).into_response()
}

/// Browsers ask for this address where a page names no icon, such as a PDF in a tab.
pub(super) async fn icon() -> Response {
    match docmill_look::assets::find("favicon.ico").map(docmill_look::assets::Asset::plain) {
        Some(Ok(icon)) => {
            let headers = [(header::CONTENT_TYPE, "image/x-icon"), (header::CACHE_CONTROL, "public, max-age=86400")];
            (headers, icon.into_owned()).into_response()
        }
        Some(Err(_)) | None => axum::http::StatusCode::NOT_FOUND.into_response(),
    }
}
