//! Keeps keys: in the desktop's keyring through `secret-tool` (libsecret), or in a file that only its owner can read.
//!
//! `secret-tool` gets the key on its standard input. The crate `keyring` would do the same with a hundred further crates.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use crate::failure::{Doing, Outcome};
use crate::folders::settings_folder;
use crate::key::Key;

/// Where a key was put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Keyring,
    File(PathBuf),
}

/// The file `credentials.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    /// The service of the last `login`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    service: Option<String>,
    /// Keys by service, unless a keyring has them.
    #[serde(default)]
    keys: BTreeMap<String, String>,
}

fn file() -> Outcome<PathBuf> {
    Ok(settings_folder()?.join("credentials.json"))
}

fn read(path: &Path) -> Outcome<Stored> {
    match fs::read(path) {
        Ok(text) => serde_json::from_slice(&text).doing(format!("Reading {}", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Stored::default()),
        Err(error) => Err(error).doing(format!("Reading {}", path.display())),
    }
}

/// Replaces the file at once, so that an interrupted write loses nothing.
fn write(path: &Path, stored: &Stored) -> Outcome<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let doing = format!("Writing {}", path.display());
    fs::create_dir_all(folder).doing(&doing)?;
    let text = serde_json::to_vec_pretty(stored).doing(&doing)?;
    let mut file = tempfile::Builder::new().prefix(".credentials").tempfile_in(folder).doing(&doing)?;
    file.write_all(&text).doing(&doing)?;
    file.persist(path).map(drop).doing(&doing)
}

/// The service of the last `login`.
pub fn service() -> Outcome<Option<String>> {
    Ok(read(&file()?)?.service)
}

pub fn find(service: &str) -> Outcome<Option<Key>> {
    let stored = read(&file()?)?;
    match stored.keys.get(service) {
        Some(text) => Ok(Key::parse(text)),
        None => Ok(keyring(&["lookup"], service, None).as_deref().and_then(Key::parse)),
    }
}

/// Keeps the key and remembers the service.
pub fn keep(service: &str, key: &Key) -> Outcome<Place> {
    let path = file()?;
    let mut stored = read(&path)?;
    stored.service = Some(service.to_owned());
    let in_keyring = keyring(&["store", "--label", "Docmill API key"], service, Some(key)).is_some();
    let place = if in_keyring {
        stored.keys.remove(service);
        Place::Keyring
    } else {
        stored.keys.insert(service.to_owned(), key.reveal().to_owned());
        Place::File(path.clone())
    };
    write(&path, &stored)?;
    Ok(place)
}

/// Forgets the key. False if there was none.
pub fn forget(service: &str) -> Outcome<bool> {
    let path = file()?;
    let mut stored = read(&path)?;
    let in_keyring = keyring(&["lookup"], service, None).is_some_and(|found| !found.is_empty());
    keyring(&["clear"], service, None);
    let in_file = stored.keys.remove(service).is_some();
    if stored.service.as_deref() == Some(service) {
        stored.service = None;
    }
    write(&path, &stored)?;
    Ok(in_keyring || in_file)
}

/// The output of `secret-tool`; `None` without it, without a keyring, or if it failed.
fn keyring(command: &[&str], service: &str, key: Option<&Key>) -> Option<String> {
    // Without a session there is no keyring, and asking for one can take seconds.
    std::env::var_os("DBUS_SESSION_BUS_ADDRESS")?;
    let mut child = Command::new("secret-tool")
        .args(command)
        .args(["application", "docmill", "service", service])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(key.map_or("", Key::reveal).as_bytes()).ok()?;
    }
    let output = child.wait_with_output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then_some(text)
}

/// Opens a file for appending that only its owner can read.
pub fn open_private(path: &Path) -> std::io::Result<fs::File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
