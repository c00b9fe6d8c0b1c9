//! One module per kind of thing that is administered.

pub(crate) mod account;
pub(crate) mod job;
pub(crate) mod key;
pub(crate) mod plan;
pub(crate) mod queue;
pub(crate) mod service;
pub(crate) mod tool;
pub(crate) mod user;

use clap::ValueEnum;

/// A switch, said in words.
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
