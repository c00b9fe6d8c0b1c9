//! The faults of the fault matrix.

use proptest::prelude::*;

use crate::fault_stories::Story;
use crate::support::aws_watch::Fault;
use crate::support::stage::Actor;

/// Every way in which a call can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Down,
    Throttled,
    NoConnection,
    /// One response is lost: the SDK repeats a call that took effect.
    LostOnce,
    /// All responses are lost: the caller can't know the state.
    Lost,
    CrashBefore,
    CrashAfter,
}

impl Kind {
    pub const ALL: [Self; 7] = [
        Self::Down,
        Self::Throttled,
        Self::NoConnection,
        Self::LostOnce,
        Self::Lost,
        Self::CrashBefore,
        Self::CrashAfter,
    ];

    pub fn at(self, operation: &str, nth: usize) -> Fault {
        let fault = match self {
            Self::Down => Fault::down(operation).lasting(),
            Self::Throttled => Fault::throttled(operation).lasting(),
            Self::NoConnection => Fault::no_connection(operation).lasting(),
            Self::LostOnce => Fault::lost_answer(operation),
            Self::Lost => Fault::lost_answer(operation).lasting(),
            Self::CrashBefore => Fault::crash_before(operation),
            Self::CrashAfter => Fault::crash_after(operation),
        };
        fault.at(nth)
    }
}

/// A call of an actor, and its fault.
#[derive(Clone, Debug)]
pub struct Trouble {
    pub actor: Actor,
    pub operation: String,
    pub nth: usize,
    pub kind: Kind,
}

impl Story {
    /// Each listed call with each fault. Creation is the same in all stories of a kind, so it is only tested in the first two.
    /// The same applies to wordings of refusals and faults that the SDK hides.
    pub fn troubles(&self, in_full: bool) -> Vec<Trouble> {
        let kinds = if in_full { Kind::ALL.as_slice() } else { &[Kind::Down, Kind::Lost, Kind::CrashAfter] };
        let mut troubles = Vec::new();
        for (actor, calls) in Actor::ALL.into_iter().zip(self.calls) {
            let calls: Vec<&str> = calls.split_whitespace().collect();
            let created = calls.iter().position(|call| *call == "SendMessage").map_or(0, |sent| sent + 1);
            let tested = if actor == Actor::Client && !in_full { created } else { 0 };
            for (position, operation) in calls.iter().enumerate().skip(tested) {
                let nth = calls[..position].iter().filter(|earlier| *earlier == operation).count();
                // Each run lists the stored requests: one kind of fault is enough.
                let kinds = if *operation == "ListObjectsV2" && !in_full { &[Kind::Down] } else { kinds };
                let trouble = |kind| Trouble { actor, operation: (*operation).to_owned(), nth, kind };
                troubles.extend(kinds.iter().copied().map(trouble));
            }
        }
        troubles
    }
}

/// A fault at any place.
pub fn any_trouble() -> impl Strategy<Value = Trouble> {
    let place = prop::sample::select(vec![
        (Actor::Client, "TransactWriteItems"),
        (Actor::Client, "SendMessage"),
        (Actor::Worker, "UpdateItem"),
        (Actor::Worker, "GetObject"),
        (Actor::Worker, "PutObject"),
        (Actor::Worker, "TransactWriteItems"),
        (Actor::Worker, "ChangeMessageVisibility"),
        (Actor::Worker, "DeleteObject"),
        (Actor::Worker, "DeleteObjects"),
        (Actor::Sweeper, "Query"),
        (Actor::Sweeper, "GetItem"),
        (Actor::Sweeper, "BatchGetItem"),
        (Actor::Sweeper, "UpdateItem"),
        (Actor::Sweeper, "TransactWriteItems"),
        (Actor::Sweeper, "SendMessage"),
        (Actor::Sweeper, "DeleteObject"),
        (Actor::Sweeper, "ListObjectsV2"),
        (Actor::Sweeper, "DeleteObjects"),
    ]);
    (place, 0..3_usize, prop::sample::select(Kind::ALL.to_vec())).prop_map(|((actor, operation), nth, kind)| Trouble {
        actor,
        operation: operation.to_owned(),
        nth,
        kind,
    })
}
