//! The issuer: its metadata and tokens.

mod handshake;

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use docmill_config::clock::ReadAt;
use docmill_domain::time::Timestamp;
use docmill_domain::user::{Email, Identity, Role};
use openidconnect::core::{
    CoreAuthPrompt, CoreAuthenticationFlow, CoreClient, CoreGenderClaim, CoreIdTokenVerifier, CoreJsonWebKeySet,
    CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm,
};
use openidconnect::{
    AdditionalClaims, AsyncHttpClient, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret, HttpRequest,
    HttpResponse, IdToken, IssuerUrl, Nonce, PkceCodeChallenge, ProviderMetadataWithLogout, RedirectUrl, Scope,
    TokenResponse,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use url::Url;

use crate::config::{DashboardConfig, OidcConfig};
use crate::error::PageError;
pub(crate) use handshake::Handshake;

/// Time for one response of the issuer. A sign-in makes up to three requests.
const ANSWER_TIME: Duration = Duration::from_secs(3);
/// How long its metadata is cached.
const MAX_AGE: Duration = Duration::from_secs(3600);
/// A token may use a key that is newer than the cached metadata, but not every token may cause a request.
const ASK_AGAIN: Duration = Duration::from_secs(30);
/// Only public-key algorithms: with a shared secret, we could sign tokens too.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 8] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The identity provider that users sign in with.
#[derive(Debug)]
pub struct Issuer {
    config: OidcConfig,
    url: IssuerUrl,
    callback: RedirectUrl,
    http: Http,
    known: Mutex<Option<Known>>,
}

/// A user's identity, and when they last gave their password, if the token says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Proof {
    pub(crate) identity: Identity,
    pub(crate) at: Option<Timestamp>,
}

#[derive(Clone, Debug)]
struct Known {
    metadata: Arc<ProviderMetadataWithLogout>,
    read_at: ReadAt,
}

/// The settings of the issuer can't be used.
#[derive(Debug, thiserror::Error)]
pub enum IssuerError {
    /// An address can't be parsed.
    #[error("OIDC_ISSUER or DASHBOARD_URL is not a valid URL: {0}")]
    Url(#[from] url::ParseError),
    /// The HTTP client can't be made.
    #[error("no HTTP client: {0}")]
    Http(#[from] reqwest::Error),
}

#[derive(Debug, thiserror::Error)]
enum AskError {
    #[error("the issuer did not answer: {0}")]
    Http(#[from] reqwest::Error),
    #[error("the issuer's answer cannot be read: {0}")]
    Json(#[from] serde_json::Error),
    #[error("the issuer's answer cannot be read: {0}")]
    Form(#[from] openidconnect::http::Error),
    #[error("the issuer's description names another issuer: {0}")]
    AnotherIssuer(String),
    #[error("{0}")]
    Keys(String),
}

impl From<AskError> for PageError {
    fn from(error: AskError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

/// All claims without a standard field: the name of the groups' claim is a setting.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Claims {
    #[serde(flatten)]
    others: HashMap<String, Value>,
}

impl AdditionalClaims for Claims {}

pub(crate) type Token = IdToken<Claims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;

impl Issuer {
    pub(crate) fn new(config: &DashboardConfig) -> Result<Self, IssuerError> {
        // Redirects could send our request anywhere.
        let http =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(ANSWER_TIME).build()?;
        let callback = format!("{}/app/callback", config.url.as_str().trim_end_matches('/'));
        Ok(Self {
            url: IssuerUrl::new(config.oidc.issuer.clone())?,
            callback: RedirectUrl::new(callback)?,
            config: config.oidc.clone(),
            http: Http(http),
            known: Mutex::default(),
        })
    }

    /// The address for signing in. `again`: the issuer must ask for the password even if the user is signed in there.
    pub(crate) async fn authorization_url(&self, handshake: &Handshake, again: bool) -> Result<Url, PageError> {
        let metadata = self.metadata(MAX_AGE).await?;
        let client = self.client(&metadata);
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&handshake.verifier());
        let (state, nonce) = (handshake.state().to_owned(), handshake.nonce().clone());
        let scopes = self.config.scopes.iter().cloned().map(Scope::new);
        let mut request = client
            .authorize_url(CoreAuthenticationFlow::AuthorizationCode, || openidconnect::CsrfToken::new(state), || nonce)
            .set_redirect_uri(std::borrow::Cow::Borrowed(&self.callback))
            .add_scopes(scopes)
            .set_pkce_challenge(challenge);
        if again {
            request = request.add_prompt(CoreAuthPrompt::Login).set_max_age(Duration::ZERO);
        }
        let (url, _state, _nonce) = request.url();
        Ok(url)
    }

    /// Exchanges a code for a token and verifies the token completely.
    pub(crate) async fn identify(&self, code: String, handshake: &Handshake) -> Result<Proof, PageError> {
        let metadata = self.metadata(MAX_AGE).await?;
        let client = self.client(&metadata);
        let exchange = client
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| PageError::Internal(format!("the issuer names no token endpoint: {error}")))?
            .set_redirect_uri(std::borrow::Cow::Borrowed(&self.callback))
            .set_pkce_verifier(handshake.verifier());
        let response = exchange.request_async(&self.http).await.map_err(|error| match error {
            openidconnect::RequestTokenError::Request(error) => PageError::Unavailable(error.to_string()),
            // The error text comes from the issuer or a parser, and contains no token.
            openidconnect::RequestTokenError::ServerResponse(refusal) => PageError::SignIn(refusal.to_string()),
            openidconnect::RequestTokenError::Parse(..) | openidconnect::RequestTokenError::Other(_) => {
                PageError::SignIn("the issuer's answer cannot be read".into())
            }
        })?;
        let token = response.id_token().ok_or_else(|| PageError::SignIn("the issuer sent no ID token".into()))?;
        let token: Token = token.to_string().parse().map_err(|_| PageError::SignIn("no ID token".into()))?;
        match self.verify(&token, &metadata, handshake.nonce()) {
            Err(ClaimsVerificationError::SignatureVerification(_)) => {
                // The token may be signed with a newer key.
                let metadata = self.metadata(ASK_AGAIN).await?;
                self.verify(&token, &metadata, handshake.nonce())
            }
            verdict => verdict,
        }
        .map_err(|error| PageError::SignIn(error.to_string()))?
        .ok_or_else(|| PageError::SignIn("the token names no email address".into()))
    }

    fn verify(
        &self,
        token: &Token,
        metadata: &ProviderMetadataWithLogout,
        nonce: &Nonce,
    ) -> Result<Option<Proof>, ClaimsVerificationError> {
        verify(token, &self.config, self.url.clone(), metadata.jwks().clone(), nonce)
    }

    /// The address for signing out, if the issuer has one.
    pub(crate) async fn sign_out_url(&self, back: &str) -> Option<Url> {
        let metadata = self.metadata(MAX_AGE).await.ok()?;
        let mut url = metadata.additional_metadata().end_session_endpoint.as_ref()?.url().clone();
        url.query_pairs_mut()
            .append_pair("client_id", &self.config.client_id)
            .append_pair("post_logout_redirect_uri", back)
            // Cognito's name for the same parameter.
            .append_pair("logout_uri", back);
        Some(url)
    }

    /// The origins of both addresses, which pages' policies must allow for forms.
    pub async fn origins(&self) -> Vec<String> {
        let Ok(metadata) = self.metadata(MAX_AGE).await else { return Vec::new() };
        let mut origins = vec![metadata.authorization_endpoint().url().origin().ascii_serialization()];
        if let Some(end) = &metadata.additional_metadata().end_session_endpoint {
            origins.push(end.url().origin().ascii_serialization());
        }
        origins.dedup();
        origins
    }

    /// The issuer's metadata with its keys, at most this old. If the issuer does not answer, older metadata stays in use.
    async fn metadata(&self, max_age: Duration) -> Result<Arc<ProviderMetadataWithLogout>, AskError> {
        let now = ReadAt::now();
        let known = self.known.lock().ok().and_then(|known| known.clone());
        if let Some(known) = &known
            && known.read_at.is_within(max_age)
        {
            return Ok(known.metadata.clone());
        }
        match (self.discover().await, known) {
            (Ok(metadata), _) => {
                let metadata = Arc::new(metadata);
                if let Ok(mut known) = self.known.lock() {
                    *known = Some(Known { metadata: metadata.clone(), read_at: now });
                }
                Ok(metadata)
            }
            (Err(error), Some(known)) => {
                tracing::warn!(%error, "the issuer's description could not be read; the last known one stays in use");
                Ok(known.metadata)
            }
            (Err(error), None) => {
                tracing::error!(%error, "the issuer's description could not be read");
                Err(error)
            }
        }
    }

    async fn discover(&self) -> Result<ProviderMetadataWithLogout, AskError> {
        let response = self.http.0.get(self.config.discovery_url.clone()).send().await?.error_for_status()?;
        let metadata: ProviderMetadataWithLogout = serde_json::from_slice(&response.bytes().await?)?;
        if metadata.issuer().as_str() != self.config.issuer {
            return Err(AskError::AnotherIssuer(metadata.issuer().to_string()));
        }
        let keys = CoreJsonWebKeySet::fetch_async(metadata.jwks_uri(), &self.http).await;
        Ok(metadata.set_jwks(keys.map_err(|error| AskError::Keys(format!("the issuer's keys: {error}")))?))
    }

    fn client(&self, metadata: &ProviderMetadataWithLogout) -> Client {
        let secret = self.config.client_secret.as_ref().map(|secret| ClientSecret::new(secret.0.clone()));
        CoreClient::from_provider_metadata(metadata.clone(), ClientId::new(self.config.client_id.clone()), secret)
    }
}

/// The workspace's HTTP client, in the form that the library expects.
#[derive(Debug)]
struct Http(reqwest::Client);

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = AskError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, AskError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async move {
            let response = self.0.execute(request.try_into()?).await?;
            let mut answer = openidconnect::http::Response::builder().status(response.status());
            for (name, value) in response.headers() {
                answer = answer.header(name, value);
            }
            Ok(answer.body(response.bytes().await?.to_vec())?)
        })
    }
}

type Client = CoreClient<
    openidconnect::EndpointSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointNotSet,
    openidconnect::EndpointMaybeSet,
    openidconnect::EndpointMaybeSet,
>;

/// The user of a token, after verifying signature, issuer, audience, expiry and nonce. `None` if it has no email address.
pub(crate) fn verify(
    token: &Token,
    config: &OidcConfig,
    issuer: IssuerUrl,
    keys: CoreJsonWebKeySet,
    nonce: &Nonce,
) -> Result<Option<Proof>, ClaimsVerificationError> {
    let verifier = CoreIdTokenVerifier::new_public_client(ClientId::new(config.client_id.clone()), issuer, keys)
        .set_allowed_algs(ALGORITHMS);
    let claims = token.claims(&verifier, nonce)?;
    let Some(email) = claims.email().and_then(|email| Email::parse(email)) else { return Ok(None) };
    let groups = claims.additional_claims().others.get(&config.groups_claim);
    let is_admin = groups.is_some_and(|groups| names(groups, &config.admin_group));
    let identity = Identity {
        issuer: config.issuer.clone(),
        subject: claims.subject().to_string(),
        email,
        email_verified: claims.email_verified().unwrap_or(false),
        role: if is_admin { Role::Admin } else { Role::User },
    };
    Ok(Some(Proof { identity, at: claims.auth_time().map(|at| Timestamp(at.timestamp_millis())) }))
}

/// Issuers usually list groups as an array, but sometimes a single one as a string.
fn names(groups: &Value, group: &str) -> bool {
    match groups {
        Value::Array(groups) => groups.iter().any(|each| each == group),
        Value::String(only) => only == group,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests;
