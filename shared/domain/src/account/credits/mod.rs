//! Where a job's credits are taken from. This is pure; the store writes the result.
//!
//! Each account has one **balance** per month: the included credits taken so far, compared with the plan at each write. If many
//! environments create jobs of one account at once, each moves a block of credits from the balance to its own **till** and spends
//! from there, so that they only contend for the balance once per block. Credits in a till are not spent yet. They return to the
//! balance when credits run short or the plan changes. Granted credits work in the same way.
//!
//! So at any time, credits used = credits taken from the balance − credits left in tills, and no job exceeds the plan.

use std::collections::BTreeMap;

use crate::account::quota::Charge;

#[cfg(test)]
mod tests;

/// The number of tills per account.
pub const TILLS: u8 = 32;
/// Largest block, in jobs of the current cost: a till lasts the fastest environment some seconds.
const BLOCK_JOBS: u64 = 200;

/// A place that holds credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pot {
    /// The month's included credits. Its amount is the number taken.
    Balance,
    /// A till of the month. Its amount is the number left.
    Till(u8),
    /// Granted credits that are left.
    Granted,
    /// A till of granted credits. Its amount is the number left.
    GrantedTill(u8),
}

/// A condition on a pot that must hold when the write takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The write takes effect in any case.
    Nothing,
    /// The balance has the same plan as before, and at most this amount taken.
    Room {
        /// Most credits that may be taken already.
        at_most: u64,
        /// Credits that the plan includes.
        included: u64,
    },
    /// A till was filled under this plan and has at least this amount.
    Filled {
        /// Fewest credits that must be left.
        at_least: u64,
        /// Credits that the plan includes.
        included: u64,
    },
    /// The pot has at least this amount.
    AtLeast(u64),
    /// The amount of granted credits is the one that was read.
    Is(u64),
    /// The balance or till has the amount and plan that were read.
    Unchanged {
        /// What was read: credits taken from the balance, or left in the till.
        amount: u64,
        /// What the plan included, as marked at the pot. `None`: no mark.
        included: Option<u64>,
    },
}

/// How a write records a pot's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The mark stays as it is.
    Keep,
    /// The plan includes so many credits.
    Set(u64),
    /// The pot is not of any plan now: the next write to it reads first.
    Remove,
}

/// One conditional addition to a pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where the credits are added.
    pub pot: Pot,
    /// What must hold, or else the whole debit is planned again.
    pub check: Check,
    /// Credits added to the pot's amount. For the balance, positive ones are taken; for all others, negative ones.
    pub add: i64,
    /// What becomes of the pot's mark.
    pub mark: Mark,
}

/// A debit. Its writes take effect together or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Debit {
    /// What the job costs, by source.
    pub charge: Charge,
    /// The till that counts the job and gets refunds; `None` means the balance.
    pub till: Option<u8>,
    /// All of them take effect in one transaction, with the job.
    pub writes: Vec<Write>,
}

/// A job's cost, the plan it is charged under, and where it is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Order {
    /// Credits.
    pub cost: u64,
    /// What the plan includes now.
    pub included: u64,
    /// The till of this environment, or the balance.
    pub till: Option<u8>,
}

/// Not enough credits: this many are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Insufficient {
    /// Credits left, included and granted ones.
    pub available: u64,
}

/// All pots of an account's month, as read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pots {
    /// Included credits taken from the balance, those in tills included.
    pub taken: u64,
    /// What the plan included when credits were last taken.
    pub included: Option<u64>,
    /// Tills of the month's included credits, by number.
    pub tills: BTreeMap<u8, Till>,
    /// Granted credits outside of tills.
    pub granted: u64,
    /// Granted credits in tills, by the till's number.
    pub granted_tills: BTreeMap<u8, u64>,
}

/// A till of included credits, as read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Till {
    /// Credits that are not spent yet.
    pub left: u64,
    /// The plan under which the till was filled.
    pub included: Option<u64>,
}

impl Debit {
    /// A debit without a read: it takes effect if one pot has enough. `None` if no pot can have enough.
    pub fn at_once(order: Order) -> Option<Self> {
        let Order { cost, included, till } = order;
        let at_most = included.checked_sub(cost)?;
        let write = match till {
            None => Write {
                pot: Pot::Balance,
                check: Check::Room { at_most, included },
                add: signed(cost),
                mark: Mark::Set(included),
            },
            Some(till) => Write {
                pot: Pot::Till(till),
                check: Check::Filled { at_least: cost, included },
                add: -signed(cost),
                mark: Mark::Keep,
            },
        };
        Some(Self { charge: Charge { included: cost, granted: 0 }, till, writes: vec![write] })
    }

    /// The same for an account whose included credits are known to be spent.
    pub fn of_granted_at_once(order: Order) -> Self {
        let Order { cost, till, .. } = order;
        let pot = till.map_or(Pot::Granted, Pot::GrantedTill);
        let writes =
            vec![counting(till), Write { pot, check: Check::AtLeast(cost), add: -signed(cost), mark: Mark::Keep }];
        Self { charge: Charge { included: 0, granted: cost }, till, writes }
    }

    /// A debit from balance and tills, based on a read of all pots. Included credits are used first.
    ///
    /// # Errors
    /// If the account has fewer credits than the job costs.
    pub fn planned(order: Order, pots: &Pots) -> Result<Self, Insufficient> {
        let available = pots.included_left(order.included) + pots.granted_left();
        if available < order.cost {
            return Err(Insufficient { available });
        }
        let from_plan = order.cost.min(pots.included_left(order.included));
        let charge = Charge { included: from_plan, granted: order.cost - from_plan };
        let mut writes = pots.take_included(order, charge.included);
        if !writes.iter().any(|write| write.pot == order.counted_at()) {
            writes.push(counting(order.till));
        }
        writes.extend(pots.take_granted(order, charge.granted));
        Ok(Self { charge, till: order.till, writes })
    }

    /// The writes that return a charge to the pot where it was counted.
    pub fn refund(charge: Charge, till: Option<u8>) -> Vec<Write> {
        let back = |pot, add| Write { pot, check: Check::Nothing, add, mark: Mark::Keep };
        let mut writes = vec![match till {
            None => back(Pot::Balance, -signed(charge.included)),
            Some(till) => back(Pot::Till(till), signed(charge.included)),
        }];
        if charge.granted > 0 {
            writes.push(back(till.map_or(Pot::Granted, Pot::GrantedTill), signed(charge.granted)));
        }
        writes
    }
}

impl Order {
    fn counted_at(&self) -> Pot {
        self.till.map_or(Pot::Balance, Pot::Till)
    }

    /// Extra credits for a till: a share of what is left, so that every till can get one.
    fn extra(&self, left: u64) -> u64 {
        (left / (2 * u64::from(TILLS))).min(self.cost.saturating_mul(BLOCK_JOBS))
    }
}

impl Pots {
    /// Included credits that are not spent yet.
    pub fn included_left(&self, included: u64) -> u64 {
        included.saturating_sub(self.included_used())
    }

    /// Included credits that jobs have spent: taken from the balance and not left in tills.
    pub fn included_used(&self) -> u64 {
        self.taken.saturating_sub(self.tills.values().map(|till| till.left).sum())
    }

    /// Granted credits that are not spent yet, in tills or not.
    pub fn granted_left(&self) -> u64 {
        self.granted + self.granted_tills.values().sum::<u64>()
    }

    /// The writes that return the credits of all tills to balance and granted credits, and nothing else: at most 66.
    pub fn gathered(&self) -> Vec<Write> {
        let back = |pot, check, add| Write { pot, check, add, mark: Mark::Keep };
        let (mut taken_back, mut granted_back, mut writes) = (0, 0, Vec::new());
        for (till, Till { left, included }) in &self.tills {
            if *left > 0 || included.is_some() {
                taken_back += left;
                let check = Check::Unchanged { amount: *left, included: *included };
                let emptied = back(Pot::Till(*till), check, -signed(*left));
                writes.push(Write { mark: Mark::Remove, ..emptied });
            }
        }
        if taken_back > 0 {
            let check = Check::Unchanged { amount: self.taken, included: self.included };
            writes.push(back(Pot::Balance, check, -signed(taken_back)));
        }
        for (till, left) in self.granted_tills.iter().filter(|(_, left)| **left > 0) {
            granted_back += left;
            writes.push(back(Pot::GrantedTill(*till), Check::Is(*left), -signed(*left)));
        }
        if granted_back > 0 {
            writes.push(back(Pot::Granted, Check::Is(self.granted), signed(granted_back)));
        }
        writes
    }

    /// Takes `wanted` included credits. The caller has checked that there are enough.
    fn take_included(&self, order: Order, wanted: u64) -> Vec<Write> {
        if wanted == 0 {
            return Vec::new();
        }
        // After a change of plan, all tills are emptied first.
        let is_new_plan = self.included != Some(order.included);
        let mut taken = self.taken;
        let mut left: BTreeMap<u8, u64> = BTreeMap::new();
        for (till, Till { left: old, included }) in &self.tills {
            let holds = !is_new_plan && *included == Some(order.included);
            left.insert(*till, if holds { *old } else { 0 });
            taken -= if holds { 0 } else { *old };
        }
        let own = order.till.and_then(|till| left.get(&till).copied()).unwrap_or(0);
        let needed = wanted.saturating_sub(own);
        for (till, least) in by_amount(&left) {
            if taken + needed <= order.included {
                break;
            }
            if Some(till) != order.till {
                let back = least.min(taken + needed - order.included);
                left.entry(till).and_modify(|left| *left -= back);
                taken -= back;
            }
        }
        match order.till {
            None => taken += wanted,
            Some(till) => {
                let extra = if needed == 0 { 0 } else { order.extra(order.included.saturating_sub(taken + needed)) };
                taken += needed + extra;
                left.insert(till, own + needed + extra - wanted);
            }
        }
        let balance = Write {
            pot: Pot::Balance,
            check: Check::Unchanged { amount: self.taken, included: self.included },
            add: signed(taken) - signed(self.taken),
            mark: Mark::Set(order.included),
        };
        let touches_balance = taken != self.taken || is_new_plan;
        let mut writes = Vec::from_iter(touches_balance.then_some(balance));
        for (till, now) in left {
            let Till { left: old, included } = self.tills.get(&till).copied().unwrap_or_default();
            let mark = match included {
                _ if Some(till) == order.till => Mark::Set(order.included),
                Some(marked) if is_new_plan || marked != order.included => Mark::Remove,
                Some(_) | None => Mark::Keep,
            };
            if now != old || mark == Mark::Remove || Some(till) == order.till {
                let check = Check::Unchanged { amount: old, included };
                writes.push(Write { pot: Pot::Till(till), check, add: signed(now) - signed(old), mark });
            }
        }
        writes
    }

    fn take_granted(&self, order: Order, wanted: u64) -> Vec<Write> {
        if wanted == 0 {
            return Vec::new();
        }
        let (mut granted, mut left) = (self.granted, self.granted_tills.clone());
        let own = order.till.and_then(|till| left.get(&till).copied()).unwrap_or(0);
        let needed = wanted.saturating_sub(own);
        for (till, least) in by_amount(&left) {
            if granted >= needed {
                break;
            }
            if Some(till) != order.till {
                let back = least.min(needed - granted);
                left.entry(till).and_modify(|left| *left -= back);
                granted += back;
            }
        }
        match order.till {
            None => granted -= wanted,
            Some(till) => {
                let extra = if needed == 0 { 0 } else { order.extra(granted - needed) };
                granted -= needed + extra;
                left.insert(till, own + needed + extra - wanted);
            }
        }
        let change =
            |pot, old, now| Write { pot, check: Check::Is(old), add: signed(now) - signed(old), mark: Mark::Keep };
        let mut writes = Vec::new();
        if granted != self.granted {
            writes.push(change(Pot::Granted, self.granted, granted));
        }
        for (till, now) in left {
            let old = self.granted_tills.get(&till).copied().unwrap_or(0);
            if now != old {
                writes.push(change(Pot::GrantedTill(till), old, now));
            }
        }
        writes
    }
}

/// The write that only counts a job, when no included credits are taken.
fn counting(till: Option<u8>) -> Write {
    let pot = till.map_or(Pot::Balance, Pot::Till);
    Write { pot, check: Check::Nothing, add: 0, mark: Mark::Keep }
}

/// Fullest till first.
fn by_amount(left: &BTreeMap<u8, u64>) -> Vec<(u8, u64)> {
    let mut tills: Vec<_> = left.iter().map(|(till, left)| (*till, *left)).filter(|(_, left)| *left > 0).collect();
    tills.sort_by_key(|(_, left)| std::cmp::Reverse(*left));
    tills
}

/// Fits: administrators can't set more than a signed number holds.
fn signed(credits: u64) -> i64 {
    i64::try_from(credits).unwrap_or(i64::MAX)
}
