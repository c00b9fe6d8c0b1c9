//! One module per subject.

pub(crate) mod account;
pub(crate) mod job;
pub(crate) mod key;
pub(crate) mod limits;
pub(crate) mod plan;
pub(crate) mod queue;
pub(crate) mod service;
pub(crate) mod tool;
pub(crate) mod user;

use clap::ValueEnum;
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::audit::{AuditEntry, Author, Subject, SubjectKind};
use docmill_store::settings::{Change, Versioned};
use std::env;

use crate::output::{Failure, refuse};

/// The author for the audit trail: the operating system's user, since AWS credentials do not identify people.
pub(crate) fn author(reason: Option<String>) -> Author {
    let user = ["USER", "LOGNAME"].into_iter().find_map(|name| env::var(name).ok().filter(|name| !name.is_empty()));
    Author { actor: format!("cli:{}", user.as_deref().unwrap_or("unknown")), reason, at: clock::now() }
}

/// Records what is about to be done. If that fails, it is not done.
pub(crate) async fn note(
    context: &Context,
    (kind, id): (SubjectKind, &str),
    what: &str,
    which: &str,
) -> Result<(), Failure> {
    let entry = AuditEntry::of_act(Subject::new(kind, id), what, which, &author(None));
    Ok(context.audit.note(&entry).await?)
}

/// The stored setting. It is only stale if another administrator changed it between our read and write.
pub(crate) fn written<T>(change: Change<T>) -> Result<T, Failure> {
    match change {
        Change::Written(Versioned { value, .. }) => Ok(value),
        Change::Stale(_) => refuse("somebody else changed this at the same time: check it, and try again"),
    }
}

/// A switch: on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Switch {
    On,
    Off,
}

impl Switch {
    pub(crate) fn is_on(self) -> bool {
        self == Self::On
    }
}
