//! The dashboard's settings. Errors name missing or malformed ones.

use std::fmt;

use axum_extra::extract::cookie::Key;
use docmill_config::ConfigError;
use url::Url;

const SHORTEST_KEY: usize = 64;

/// What only the dashboard needs to know. The rest is in `docmill-config`.
#[derive(Clone, Debug)]
pub struct DashboardConfig {
    /// The address of the pages without a trailing slash. Locally, its path is the gateway's base path.
    pub url: Url,
    pub(crate) oidc: OidcConfig,
    /// What the keys of all cookies are derived from.
    pub cookie_key: CookieKey,
    /// The role that sends events to queues and buses of customers: an ARN.
    pub delivery_role: String,
}

/// The identity provider.
#[derive(Clone, Debug)]
pub(crate) struct OidcConfig {
    /// Compared with the issuer's own metadata and with every token.
    pub(crate) issuer: String,
    /// Where the issuer publishes its metadata. By default below its own address.
    pub(crate) discovery_url: Url,
    pub(crate) client_id: String,
    /// Optional: the code is bound to this browser's request by PKCE.
    pub(crate) client_secret: Option<ClientSecret>,
    /// In addition to `openid`.
    pub(crate) scopes: Vec<String>,
    /// The claim with a user's groups.
    pub(crate) groups_claim: String,
    pub(crate) admin_group: String,
}

/// The secret from which the keys of all cookies are derived.
#[derive(Clone)]
pub struct CookieKey(String);

impl CookieKey {
    /// The key for one kind of cookie, so that cookies of different kinds are never confused.
    pub fn of(&self, purpose: &str) -> Key {
        Key::derive_from(format!("{}/{purpose}", self.0).as_bytes())
    }
}

impl fmt::Debug for CookieKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CookieKey(..)")
    }
}

#[derive(Clone)]
pub(crate) struct ClientSecret(pub(crate) String);

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientSecret(..)")
    }
}

impl DashboardConfig {
    /// `lookup`: the value of an environment variable.
    ///
    /// # Errors
    /// The first variable that is missing or malformed.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let lookup = |name: &str| lookup(name).filter(|value| !value.is_empty());
        let required = |name| lookup(name).ok_or(ConfigError::Missing(name));
        let url = |name, text: &str| match Url::parse(text.trim_end_matches('/')) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
            Ok(_) | Err(_) => Err(ConfigError::Malformed { name, expected: "an http or https URL" }),
        };
        let issuer = required("OIDC_ISSUER")?;
        let described = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let key = required("COOKIE_KEY")?;
        if key.len() < SHORTEST_KEY {
            return Err(ConfigError::Malformed { name: "COOKIE_KEY", expected: "64 random characters or more" });
        }
        Ok(Self {
            url: url("DASHBOARD_URL", &required("DASHBOARD_URL")?)?,
            oidc: OidcConfig {
                discovery_url: url("OIDC_DISCOVERY_URL", &lookup("OIDC_DISCOVERY_URL").unwrap_or(described))?,
                issuer,
                client_id: required("OIDC_CLIENT_ID")?,
                client_secret: lookup("OIDC_CLIENT_SECRET").map(ClientSecret),
                scopes: lookup("OIDC_SCOPES")
                    .unwrap_or_else(|| "email".to_owned())
                    .split(' ')
                    .map(str::to_owned)
                    .collect(),
                groups_claim: lookup("OIDC_GROUPS_CLAIM").unwrap_or_else(|| "cognito:groups".to_owned()),
                admin_group: lookup("OIDC_ADMIN_GROUP").unwrap_or_else(|| "admin".to_owned()),
            },
            cookie_key: CookieKey(key),
            delivery_role: required("DELIVERY_ROLE")?,
        })
    }

    /// Whether pages are only reached by HTTPS: everywhere except on a local stack.
    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str) -> Option<String> {
        let value = match name {
            "DASHBOARD_URL" => "https://docmill.example/",
            "OIDC_ISSUER" => "https://issuer.example/pool",
            "OIDC_CLIENT_ID" => "client-1",
            "COOKIE_KEY" => return Some("k".repeat(64)),
            "DELIVERY_ROLE" => "arn:aws:iam::111122223333:role/deliverer",
            _ => return None,
        };
        Some(value.to_owned())
    }

    #[test]
    fn an_issuers_metadata_is_below_its_own_address() {
        let config = DashboardConfig::from_lookup(given).unwrap();
        assert!(config.is_secure());
        let described = "https://issuer.example/pool/.well-known/openid-configuration";
        assert_eq!(config.oidc.discovery_url.as_str(), described);
        assert_eq!((config.oidc.groups_claim.as_str(), config.oidc.admin_group.as_str()), ("cognito:groups", "admin"));
    }

    #[test]
    fn missing_and_malformed_settings_are_named_without_secrets() {
        for name in ["DASHBOARD_URL", "OIDC_ISSUER", "OIDC_CLIENT_ID", "COOKIE_KEY", "DELIVERY_ROLE"] {
            let error = DashboardConfig::from_lookup(|each| given(each).filter(|_| each != name)).unwrap_err();
            assert_eq!(error.to_string(), format!("the environment variable {name} is not set"));
        }
        let short = |name: &str| if name == "COOKIE_KEY" { Some("k".repeat(63)) } else { given(name) };
        assert!(DashboardConfig::from_lookup(short).unwrap_err().to_string().contains("COOKIE_KEY"));
        let odd = |name: &str| if name == "DASHBOARD_URL" { Some("javascript:alert(1)".into()) } else { given(name) };
        assert!(DashboardConfig::from_lookup(odd).unwrap_err().to_string().contains("DASHBOARD_URL"));
        let secret = |name: &str| if name == "OIDC_CLIENT_SECRET" { Some("hush".into()) } else { given(name) };
        let shown = format!("{:?}", DashboardConfig::from_lookup(secret).unwrap());
        assert!(!shown.contains("hush") && !shown.contains("kkkk"), "{shown}");
    }
}
