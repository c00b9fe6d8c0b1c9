//! Where this environment last found an account's credits, so that creating a job takes one transaction.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use rand::RngExt;

use docmill_domain::credits::TILLS;
use docmill_domain::time::{Period, Timestamp};

const MAX_REMEMBERED: usize = 10_000;
/// A refund may have refilled included credits, which lapse. They are found again after this time.
const SPENT: Duration = Duration::from_secs(60);
/// After this long without a conflict, an environment tries the balance again.
const AT_A_TILL: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Places {
    tills: Mutex<HashMap<String, (u8, Timestamp)>>,
    /// When an account's included credits for the month were found to be used up, and how many its plan included.
    spent: Mutex<HashMap<(String, Period, u64), Timestamp>>,
}

impl Places {
    /// The till that this environment uses; `None` for the balance.
    pub(super) fn till(&self, account: &str, now: Timestamp) -> Option<u8> {
        let tills = self.tills.lock().ok()?;
        tills.get(account).filter(|(_, since)| now < since.plus(AT_A_TILL)).map(|(till, _)| *till)
    }

    /// Moves to another till. It only leaves the balance if `often` says that conflicts go on. Returns false if it stayed.
    pub(super) fn leave(&self, account: &str, often: bool, now: Timestamp) -> bool {
        let at = self.till(account, now);
        if at.is_none() && !often {
            return false;
        }
        let Ok(mut tills) = self.tills.lock() else { return false };
        if tills.len() >= MAX_REMEMBERED {
            tills.clear();
        }
        // Any till except the current one.
        let step = rand::rng().random_range(1..TILLS);
        let till = at.map_or(step, |at| (at + step) % TILLS);
        tills.insert(account.to_owned(), (till, now));
        true
    }

    pub(super) fn is_spent(&self, account: &str, period: Period, included: u64, now: Timestamp) -> bool {
        let Ok(spent) = self.spent.lock() else { return false };
        spent.get(&(account.to_owned(), period, included)).is_some_and(|seen| now < seen.plus(SPENT))
    }

    pub(super) fn note_spent(&self, account: &str, period: Period, included: u64, since: Option<Timestamp>) {
        let Ok(mut spent) = self.spent.lock() else { return };
        if spent.len() >= MAX_REMEMBERED {
            spent.clear();
        }
        let entry = (account.to_owned(), period, included);
        match since {
            Some(now) => drop(spent.insert(entry, now)),
            None => drop(spent.remove(&entry)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_conflict_at_the_balance_is_not_enough_to_leave_it() {
        let (places, now) = (Places::default(), Timestamp(0));
        assert!(!places.leave("a", false, now) && places.till("a", now).is_none());
        assert!(places.leave("a", true, now));
        let first = places.till("a", now).unwrap();
        assert!(places.leave("a", false, now));
        let second = places.till("a", now).unwrap();
        assert!(first != second && second < TILLS);
        assert_eq!((places.till("b", now), places.till("a", now.plus(AT_A_TILL))), (None, None));
    }

    #[test]
    fn spent_credits_are_remembered_for_each_plan() {
        let (places, now) = (Places::default(), Timestamp(0));
        places.note_spent("a", now.period(), 100, Some(now));
        assert!(places.is_spent("a", now.period(), 100, now) && !places.is_spent("a", now.period(), 200, now));
        assert!(!places.is_spent("a", now.period(), 100, now.plus(SPENT)));
    }
}
