//! Signing in with a browser: the dashboard asks its user and sends a code to a loopback address (RFC 8252, section 7.3), which only
//! this program can exchange for a key (RFC 7636).

use std::convert::Infallible;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, LOCATION};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, oneshot};
use url::Url;

use crate::failure::{Doing, Failure, Outcome};
use crate::key::Key;
use crate::report;

const LONGEST_DEVICE: usize = 60;

/// Asks in a browser for a key, and waits for it.
pub(super) async fn sign_in(url: &str) -> Outcome<Key> {
    let listener = TcpListener::bind("127.0.0.1:0").await.doing("Listening for the browser")?;
    let port = listener.local_addr().doing("Listening for the browser")?.port();
    let attempt = Arc::new(Attempt::new(url));
    let page = attempt.page(port)?;
    report::to_stderr("Sign in with your browser. If no window opens, visit this address on this machine:");
    report::to_stderr(&format!("\n  {page}\n"));
    if opener::open_browser(&page).is_err() {
        report::to_stderr("There seems to be no browser. `docmill login --paste` takes a key without one.");
    }
    attempt.answered(listener).await
}

/// One request for a key.
struct Attempt {
    service: String,
    /// What only this program knows.
    verifier: String,
    /// What its own answer carries.
    state: String,
}

impl Attempt {
    fn new(service: &str) -> Self {
        let random = || URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
        Self { service: service.to_owned(), verifier: random(), state: random() }
    }

    /// The dashboard's page that asks the user.
    fn page(&self, port: u16) -> Outcome<String> {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&self.verifier));
        let (port, device) = (port.to_string(), device());
        let query = [("port", port.as_str()), ("state", &self.state), ("challenge", &challenge), ("device", &device)];
        let page = Url::parse_with_params(&format!("{}/app/connect", self.service), query);
        Ok(page.doing("Making the address of the page")?.into())
    }

    /// Serves the browser until it brings the answer to this request.
    async fn answered(self: Arc<Self>, listener: TcpListener) -> Outcome<Key> {
        let (tell, mut told) = oneshot::channel();
        let tell = Arc::new(Mutex::new(Some(tell)));
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => accepted.doing("Listening for the browser")?.0,
                key = &mut told => return key.unwrap_or_else(|_| Err(Failure::machine("The browser's answer was lost."))),
            };
            let (attempt, tell) = (self.clone(), tell.clone());
            let service = service_fn(move |request| {
                let (attempt, tell) = (attempt.clone(), tell.clone());
                async move { Ok::<_, Infallible>(attempt.respond(request, &tell).await) }
            });
            let mut builder = http1::Builder::new();
            let connection = builder.keep_alive(false).serve_connection(TokioIo::new(stream), service);
            // A browser that closes its connection early costs nothing: it or its user tries again.
            tokio::spawn(async move { connection.await.ok() });
        }
    }

    /// The response to the browser. Whatever is not an answer to this request changes nothing.
    async fn respond(&self, request: Request<Incoming>, tell: &Mutex<Option<Told>>) -> Response<Full<Bytes>> {
        let Some(answer) = self.read(&request) else { return page(StatusCode::NOT_FOUND, "There is nothing here.") };
        let Some(tell) = tell.lock().await.take() else { return page(StatusCode::OK, "This was answered before.") };
        let key = match answer {
            Ok(code) => self.exchange(&code).await,
            Err(failure) => Err(failure),
        };
        let response = match &key {
            Ok(_) => self.welcome(),
            Err(failure) => page(StatusCode::BAD_REQUEST, &format!("{}\nYou can close this page.", failure.message)),
        };
        // The receiver only ends with this program.
        tell.send(key).ok();
        response
    }

    /// The code, or why there is none. `None` if this is not the browser's answer.
    fn read(&self, request: &Request<Incoming>) -> Option<Outcome<String>> {
        let url = Url::parse("http://127.0.0.1").ok()?.join(&request.uri().to_string()).ok()?;
        let value = |name: &str| url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned());
        if value("state")? != self.state {
            return None;
        }
        Some(match value("code") {
            Some(code) => Ok(code),
            None => Err(Failure::access("The request for a key was refused in the browser.")),
        })
    }

    async fn exchange(&self, code: &str) -> Outcome<Key> {
        let doing = "Fetching the key";
        let body = json!({"code": code, "verifier": self.verifier}).to_string();
        let request = reqwest::Client::new().post(format!("{}/app/connect/key", self.service)).body(body);
        let answer = request.header(CONTENT_TYPE, "application/json").send().await.doing(doing)?;
        let status = answer.status().as_u16();
        let body: Value = serde_json::from_slice(&answer.bytes().await.doing(doing)?).doing(doing)?;
        match body["key"].as_str().and_then(Key::parse) {
            Some(key) => Ok(key),
            None => Err(Failure::of_answer(status, &body)),
        }
    }

    /// Leads to the dashboard's last page.
    fn welcome(&self) -> Response<Full<Bytes>> {
        let mut response = page(StatusCode::SEE_OTHER, "You are signed in. You can close this page.");
        // The service's address was parsed, and so is a header's value.
        if let Ok(done) = format!("{}/app/connect/done", self.service).parse() {
            response.headers_mut().insert(LOCATION, done);
        }
        response
    }
}

type Told = oneshot::Sender<Outcome<Key>>;

fn page(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(format!("{text}\n")));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

/// The name of this machine, for the list of keys.
fn device() -> String {
    let name = gethostname::gethostname().to_string_lossy().into_owned();
    let name: String = name.trim().chars().filter(|char| !char.is_control()).take(LONGEST_DEVICE).collect();
    if name.is_empty() { "this machine".to_owned() } else { name }
}
