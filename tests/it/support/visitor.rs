//! A signed-in user of the dashboard, without a browser.

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, header};
use axum::response::IntoResponse;
use docmill_config::clock;
use docmill_domain::user::{Email, Identity, Link, Role, Session, SessionToken};
use docmill_site::config::DashboardConfig;
use docmill_site::state::AppState;
use functions::dashboard;
use tower::ServiceExt;
use url::form_urlencoded;
use uuid::Uuid;

use super::world::{Account, World};

pub struct Visitor {
    router: Router,
    cookie: String,
    form_token: String,
    pub email: Email,
}

/// A response.
#[derive(Debug)]
pub struct Page {
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Page {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// The text of the element with this id.
    pub fn text_of(&self, id: &str) -> String {
        let (before, rest) =
            self.text.split_once(&format!(" id=\"{id}\"")).unwrap_or_else(|| panic!("no {id}: {}", self.text));
        let tag = before.rsplit('<').next().unwrap().split(' ').next().unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        let (content, _) = rest.split_once(&format!("</{tag}>")).unwrap();
        // Colored code has elements of its own.
        content.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect()
    }

    /// Ids of more than one element.
    pub fn repeated_ids(&self) -> Vec<&str> {
        let mut ids: Vec<_> = self.text.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        ids.sort_unstable();
        ids.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]).collect()
    }

    /// The value of a hidden field.
    pub fn hidden(&self, name: &str) -> String {
        let (_, rest) = self.text.split_once(&format!("type=\"hidden\" name=\"{name}\" value=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    }
}

impl Visitor {
    /// A user of the account, with a session.
    pub async fn of(world: &World, account: &Account) -> Self {
        Self::with_role(world, account, Role::User).await
    }

    /// An administrator, who also has an account.
    pub async fn admin(world: &World, account: &Account) -> Self {
        Self::with_role(world, account, Role::Admin).await
    }

    async fn with_role(world: &World, account: &Account, role: Role) -> Self {
        let setting = |name: &str| match name {
            "DASHBOARD_URL" => Some("http://dashboard.example/base".to_owned()),
            // Nothing answers there: users with a session don't need the issuer.
            "OIDC_ISSUER" => Some("http://127.0.0.1:9".to_owned()),
            "OIDC_CLIENT_ID" => Some("client".to_owned()),
            "COOKIE_KEY" => Some("k".repeat(64)),
            "DELIVERY_ROLE" => Some("arn:aws:iam::111122223333:role/deliverer".to_owned()),
            _ => None,
        };
        let state = AppState::new(world.context.clone(), DashboardConfig::from_lookup(setting).unwrap()).unwrap();
        let now = clock::now();
        let email = Email::parse(&format!("{}@users.example", Uuid::now_v7().simple())).unwrap();
        let link = Link { email: email.clone(), account: account.id.clone(), created_at: now };
        world.context.users.link(&link).await.unwrap();
        let (issuer, subject) = ("http://127.0.0.1:9".to_owned(), email.as_str().to_owned());
        let known_as = email.clone();
        let identity = Identity { issuer, subject, email, email_verified: true, role };
        let user = world.context.users.enter(&identity, now).await.unwrap();
        let token = SessionToken::generate();
        let session = Session { session: token.id(), user: user.user.clone(), role, began_at: now, seen_at: now };
        world.context.sessions.begin(&session).await.unwrap();

        let cookies = (
            docmill_site::session::remember(&state, &token, &user.user, &user.account),
            docmill_site::session::remember_proof(&state, &token, now),
        );
        let response = (cookies.0, cookies.1, ()).into_response();
        let set = response.headers().get_all(header::SET_COOKIE).iter();
        let pairs: Vec<_> = set.filter_map(|cookie| cookie.to_str().unwrap().split(';').next()).collect();
        let cookie = pairs.join("; ");
        Self { router: dashboard::router(state), cookie, form_token: token.form_token(), email: known_as }
    }

    pub async fn get(&self, path: &str) -> Page {
        self.send(Request::get(path), Body::empty()).await
    }

    /// Sends a form like a page.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Page {
        let form = form_urlencoded::Serializer::new(String::new())
            .append_pair("csrf_token", &self.form_token)
            .extend_pairs(fields)
            .finish();
        self.send(Request::post(path).header("content-type", "application/x-www-form-urlencoded"), form.into()).await
    }

    /// Sends a request like a page's script.
    pub async fn script(&self, path: &str, content_type: &str, body: String) -> Page {
        let request = Request::post(path).header("content-type", content_type).header("hx-request", "true");
        self.send(request.header("x-csrf-token", &self.form_token), body.into()).await
    }

    /// Sends JSON like a program, without a session.
    pub async fn program(&self, path: &str, body: String) -> Page {
        self.receive(Request::post(path).header("content-type", "application/json"), body.into()).await
    }

    async fn send(&self, request: axum::http::request::Builder, body: Body) -> Page {
        self.receive(request.header(header::COOKIE, &self.cookie), body).await
    }

    async fn receive(&self, request: axum::http::request::Builder, body: Body) -> Page {
        let request = request.body(body).unwrap();
        let (parts, body) = self.router.clone().oneshot(request).await.unwrap().into_parts();
        let bytes = to_bytes(body, usize::MAX).await.unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        Page { status: parts.status.as_u16(), headers: parts.headers, text }
    }
}
