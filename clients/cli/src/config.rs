//! Where the service is, and whose key is used.

use url::Url;

use crate::credentials;
use crate::failure::{Failure, Outcome};
use crate::key::Key;

pub const URL_VARIABLE: &str = "DOCMILL_URL";
pub const KEY_VARIABLE: &str = "DOCMILL_KEY";

/// The service and the key to use there.
#[derive(Clone, Debug)]
pub struct Access {
    pub url: String,
    pub key: Key,
}

/// The service's address: the option or variable, or the one of the last `login`.
pub fn service(given: Option<&str>) -> Outcome<String> {
    let remembered = || credentials::service();
    match given.map(str::to_owned).map_or_else(remembered, |url| Ok(Some(url)))? {
        Some(url) => check(&url),
        None => Err(Failure::usage("No service is chosen.")
            .with_hint(format!("Run `docmill login --url https://…`, or set {URL_VARIABLE}."))),
    }
}

fn check(url: &str) -> Outcome<String> {
    let refused = || Failure::usage(format!("{url:?} is not the address of a service."));
    let parsed = Url::parse(url).map_err(|_| refused())?;
    let is_loopback = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
        || parsed.host_str().is_some_and(|host| host.ends_with(".localhost"));
    match parsed.scheme() {
        "https" => {}
        // A key must not travel in the open.
        "http" if is_loopback => {}
        "http" => return Err(refused().with_hint("Use https: only services on this machine may use http.")),
        _ => return Err(refused().with_hint("It begins with https://.")),
    }
    Ok(url.trim_end_matches('/').to_owned())
}

/// The service with its key: of the variable, or of `login`.
pub fn access(given: Option<&str>) -> Outcome<Access> {
    let url = service(given)?;
    let key = match std::env::var(KEY_VARIABLE).ok().filter(|text| !text.is_empty()) {
        Some(text) => Some(Key::parse(&text).ok_or_else(|| {
            Failure::access(format!("{KEY_VARIABLE} is not an API key: keys begin with dm_live_ or dm_test_."))
        })?),
        None => credentials::find(&url)?,
    };
    let missing = || {
        Failure::access(format!("There is no API key for {url}."))
            .with_hint(format!("Run `docmill login`, or set {KEY_VARIABLE}."))
    };
    Ok(Access { key: key.ok_or_else(missing)?, url })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_travels_in_the_open_only_on_this_machine() {
        assert_eq!(check("https://api.example.com/").unwrap(), "https://api.example.com");
        assert!(check("http://localhost:4566/x").is_ok() && check("http://abc.execute-api.localhost:4566").is_ok());
        assert!(check("http://api.example.com").is_err() && check("ftp://localhost").is_err() && check("x").is_err());
    }
}
