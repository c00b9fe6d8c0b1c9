//! Signing in the command line with a browser.
//!
//! `docmill login` listens at a loopback address and opens this page. Its user agrees, and the browser takes a code there (RFC 8252,
//! section 7.3). The program then exchanges the code for a new key; only it has the verifier that this needs (RFC 7636). So the key
//! is in no URL and on no page.

mod code;

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use cookie::Key;
use docmill_config::clock;
use docmill_domain::account::NewKey;
use docmill_domain::api_key::{ApiKey, Mode};
use docmill_domain::limits::Ceilings;
use docmill_site::error::PageError;
use docmill_site::form::{self, FormData, select};
use docmill_site::layout::{self, Page};
use docmill_site::security::Policy;
use docmill_site::session::SignedIn;
use docmill_site::state::{AppState, redirect_to};
use docmill_site::viewer::{Proved, Viewer};
use docmill_store::accounts::KeyAdded;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::json;
use url::{Url, form_urlencoded};

use code::{Challenge, Grant};

/// Where programs exchange codes. They have no session.
pub const EXCHANGE: &str = "/app/connect/key";

const LONGEST_STATE: usize = 200;
const LONGEST_DEVICE: usize = 60;
/// Ports below belong to the system's services.
const FIRST_PORT: u16 = 1024;

pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/app/connect", get(ask).post(agree))
        .route("/app/connect/done", get(done))
        .route(EXCHANGE, post(exchange))
}

/// A program that asks for a key.
#[derive(Debug)]
struct Program {
    /// Where it listens, on the user's machine.
    port: u16,
    /// What it recognizes its own request by.
    state: String,
    challenge: Challenge,
    /// The name of the machine.
    device: String,
}

impl Program {
    fn read(data: &FormData) -> Option<Self> {
        let (state, device) = (data.get("state"), data.get("device"));
        let is_state = (1..=LONGEST_STATE).contains(&state.len()) && state.bytes().all(|byte| byte.is_ascii_graphic());
        let is_device = (1..=LONGEST_DEVICE).contains(&device.chars().count()) && !device.chars().any(char::is_control);
        Some(Self {
            port: data.get("port").parse().ok().filter(|port| *port >= FIRST_PORT)?,
            state: Some(state).filter(|_| is_state)?.to_owned(),
            challenge: Challenge::parse(data.get("challenge"))?,
            device: Some(device).filter(|_| is_device)?.to_owned(),
        })
    }

    fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The program's address with an answer.
    fn answer(&self, name: &str, value: &str) -> Result<String, PageError> {
        let query = [(name, value), ("state", &self.state)];
        let url = Url::parse_with_params(&self.origin(), query);
        Ok(url.map_err(|error| PageError::Internal(error.to_string()))?.into())
    }

    fn key_name(&self) -> String {
        format!("docmill on {}", self.device)
    }
}

async fn ask(
    State(state): State<AppState>,
    viewer: Viewer,
    _user: SignedIn,
    _proved: Proved,
    uri: Uri,
) -> Result<Response, PageError> {
    let pairs = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes()).into_owned();
    let Some(program) = Program::read(&FormData::from_pairs(pairs)) else { return Ok(not_asked(&state, &viewer)) };
    let refusal = program.answer("error", "access_denied")?;
    let content = question(&state, &viewer, &program, &refusal);
    // The browser follows the form's redirect to the program.
    let policy = Policy::default().form(&[program.origin()]);
    Ok(Page::new("Sign in the command line", content).policy(policy).respond(&state, &viewer))
}

fn question(state: &AppState, viewer: &Viewer, program: &Program, refusal: &str) -> Markup {
    let port = program.port.to_string();
    html! {
        header.page-head {
            h1 { "Sign in the command line?" }
            p.lead { "The program " code { "docmill" } " on " strong { (program.device) } " asks for an API key of your account." }
        }
        p { "Agree only if you have just run " code { "docmill login" } " on this machine. The key is listed under "
            a href=(state.link("/app/keys")) { "API keys" } " as “" (program.key_name()) "”, where you can limit or revoke it." }
        (form::form(state, viewer, "/app/connect", html! {
            input type="hidden" name="port" value=(port);
            input type="hidden" name="state" value=(program.state);
            input type="hidden" name="challenge" value=(program.challenge.as_str());
            input type="hidden" name="device" value=(program.device);
            (select("mode", "Mode", vec![("live", "Live: uses credits"), ("test", "Test: free, marks every page with TEST")])
                .value(Mode::Live.as_str()).required())
            div.actions {
                button.button.primary type="submit" { "Agree" } " "
                a.button href=(refusal) { "Refuse" }
            }
        }))
    }
}

/// An address that no program made.
fn not_asked(state: &AppState, viewer: &Viewer) -> Response {
    let content = html! {
        header.page-head { h1 { "No program asks for a key" } }
        p { "This page is opened by " code { "docmill login" } ". Run it in a terminal, or "
            a href=(state.link("/app/keys/new")) { "create a key" } " and paste it there." }
    };
    Page::new("Sign in the command line", content).status(StatusCode::BAD_REQUEST).respond(state, viewer)
}

async fn agree(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    _proved: Proved,
    data: FormData,
) -> Result<Response, PageError> {
    let mode = [Mode::Live, Mode::Test].into_iter().find(|mode| mode.as_str() == data.get("mode"));
    let (Some(program), Some(mode)) = (Program::read(&data), mode) else { return Ok(not_asked(&state, &viewer)) };
    let grant = Grant {
        key_id: NewKey::id(),
        account: user.account,
        name: program.key_name(),
        mode,
        challenge: program.challenge.clone(),
        granted_at: clock::now(),
    };
    Ok(redirect_to(&program.answer("code", &grant.to_code(&signing_key(&state)))?))
}

async fn done(State(state): State<AppState>, viewer: Viewer) -> Response {
    let content = html! {
        header.page-head {
            h1 { "The command line is signed in" }
            p.lead { "You can close this page and go back to the terminal." }
        }
        p { "Its key is listed under " a href=(state.link("/app/keys")) { "API keys" } "." }
    };
    layout::page(&state, &viewer, "Signed in", content)
}

#[derive(Deserialize)]
struct Exchange {
    code: String,
    verifier: String,
}

/// Creates the key. Not a page: programs read the answer.
async fn exchange(State(state): State<AppState>, Json(exchange): Json<Exchange>) -> Result<Response, PageError> {
    let now = clock::now();
    let Some(grant) = Grant::from_code(&exchange.code, &exchange.verifier, &signing_key(&state), now) else {
        return Ok(refused("The code is wrong or too old."));
    };
    let (accounts, account) = (&state.context.accounts, grant.account.clone());
    if accounts.keys_of(&account, now).await?.iter().any(|key| key.key.key_id == grant.key_id) {
        return Ok(refused("The code was used before."));
    }
    let Some(holder) = accounts.holder(&account, now).await? else { return Err(PageError::NotFound) };
    let settings = state.context.settings.current().await?;
    let plan = settings.plan(&holder.profile.plan);
    let secret = ApiKey::generate(grant.mode);
    let key = NewKey {
        key_id: grant.key_id,
        account,
        name: grant.name,
        mode: grant.mode,
        allowed_tools: None,
        allowed_origins: Vec::new(),
        expires_at: None,
        create_limit: plan.create_limit,
        read_limit: plan.read_limit,
        limits: Ceilings::default(),
    };
    match accounts.add_key(&key.with_secret(&secret, now), now).await? {
        KeyAdded::Yes(_) => Ok((StatusCode::CREATED, Json(json!({"key": secret.reveal()}))).into_response()),
        KeyAdded::Exists => Ok(refused("The code was used before.")),
        KeyAdded::TooMany => {
            Ok(refused("The account has reached its limit of keys. Revoke one that you no longer need."))
        }
        KeyAdded::NoAccount => Err(PageError::NotFound),
    }
}

fn refused(message: &str) -> Response {
    (StatusCode::FORBIDDEN, Json(json!({"error": {"code": "connection_refused", "message": message}}))).into_response()
}

fn signing_key(state: &AppState) -> Key {
    state.config.cookie_key.of("connection")
}
