//! Where the service is, whose key is used, and the folders of this command.

use std::fmt;
use std::path::PathBuf;

use url::Url;

use crate::credentials;
use crate::failure::{Failure, Outcome};

pub const URL_VARIABLE: &str = "DOCMILL_URL";
pub const KEY_VARIABLE: &str = "DOCMILL_KEY";

/// An API key.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(..)")
    }
}

impl Key {
    /// `None` unless the text looks like a key.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key = ["dm_live_", "dm_test_"].iter().any(|prefix| text.starts_with(prefix))
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        is_key.then(|| Self(text.to_owned()))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn is_test(&self) -> bool {
        self.0.starts_with("dm_test_")
    }

    /// The key for people: its kind and its last four characters.
    pub fn hint(&self) -> String {
        let (kind, secret) = self.0.split_at(8.min(self.0.len()));
        let last: String = secret.chars().rev().take(4).collect::<Vec<_>>().into_iter().rev().collect();
        format!("{kind}…{last}")
    }
}

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

/// A folder of this command, from the XDG variable or below the home directory.
fn folder(variable: &str, below_home: &str) -> Outcome<PathBuf> {
    let given = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
    let base = given.or_else(|| home().map(|home| home.join(below_home)));
    base.map(|base| base.join("docmill")).ok_or_else(|| Failure::machine(format!("Set HOME or {variable}.")))
}

/// Settings and, without a keyring, keys.
pub fn settings_folder() -> Outcome<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")
}

/// Journals.
pub fn state_folder() -> Outcome<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown_whole() {
        let key = Key::parse(" dm_live_abcdefgh1234\n").unwrap();
        assert_eq!((key.reveal(), key.hint().as_str()), ("dm_live_abcdefgh1234", "dm_live_…1234"));
        assert_eq!(format!("{key:?}"), "Key(..)");
        assert!(Key::parse("sk_live_abc").is_none() && Key::parse("dm_live_a b").is_none());
    }

    #[test]
    fn a_key_travels_in_the_open_only_on_this_machine() {
        assert_eq!(check("https://api.example.com/").unwrap(), "https://api.example.com");
        assert!(check("http://localhost:4566/x").is_ok() && check("http://abc.execute-api.localhost:4566").is_ok());
        assert!(check("http://api.example.com").is_err() && check("ftp://localhost").is_err() && check("x").is_err());
    }
}
