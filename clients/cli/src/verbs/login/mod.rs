//! `docmill login`: keeps a key. It comes from the dashboard by way of a browser, or is typed or piped; it is never an argument, which
//! others on the machine could see.

mod browser;

use std::io::{IsTerminal, Read};

use crate::api::{Api, Call};
use crate::args::{Globals, LoginArgs};
use crate::config::{self, Access};
use crate::credentials::{self, Place};
use crate::failure::{Doing, Failure, Outcome};
use crate::key::Key;
use crate::report;
use docmill_domain::counted;

pub async fn run(args: &LoginArgs, globals: &Globals) -> Outcome<()> {
    let url = config::service(globals.url.as_deref())?;
    let key = match Way::of(args) {
        Way::Browser => browser::sign_in(&url).await?,
        Way::Typed => typed(&url)?,
        Way::Piped => piped()?,
    };
    // A wrong key is better noticed now.
    let api = Api::new(Access { url: url.clone(), key: key.clone() })?;
    let answer = api.call(Call::get("/v1/account/usage")).await?;
    let place = match credentials::keep(&url, &key)? {
        Place::Keyring => "the keyring".to_owned(),
        Place::File(path) => format!("{}, which only you can read", path.display()),
    };
    let kind = if key.is_test() { "Test key" } else { "Key" };
    let left = counted(answer.body["usage"]["credits"]["remaining"].as_u64().unwrap_or(0), "credit");
    report::to_stdout(&format!("{kind} {} works at {url}: {left} left.\nIt is in {place}.", key.hint()));
    Ok(())
}

/// How the key comes here.
enum Way {
    Browser,
    Typed,
    Piped,
}

impl Way {
    fn of(args: &LoginArgs) -> Self {
        // The browser of a remote session is on another machine, which does not reach this one.
        let is_remote = std::env::var_os("SSH_CONNECTION").is_some();
        match () {
            () if args.browser => Self::Browser,
            () if args.stdin || !std::io::stdin().is_terminal() => Self::Piped,
            () if args.paste || is_remote => Self::Typed,
            () => Self::Browser,
        }
    }
}

fn piped() -> Outcome<Key> {
    let mut text = String::new();
    std::io::stdin().lock().take(4096).read_to_string(&mut text).doing("Reading the key")?;
    parse(&text)
}

fn typed(url: &str) -> Outcome<Key> {
    report::to_stderr(&format!("Create a key in the dashboard of {url}, under API keys."));
    parse(&rpassword::prompt_password("Key (hidden): ").doing("Reading the key")?)
}

fn parse(text: &str) -> Outcome<Key> {
    Key::parse(text).ok_or_else(|| Failure::access("This is not an API key: keys begin with dm_live_ or dm_test_."))
}

pub fn forget(globals: &Globals) -> Outcome<()> {
    let url = config::service(globals.url.as_deref())?;
    let was_there = credentials::forget(&url)?;
    report::to_stdout(&if was_there {
        format!("The key for {url} is forgotten. Revoke it in the dashboard if nothing else uses it.")
    } else {
        format!("There was no key for {url}.")
    });
    Ok(())
}
