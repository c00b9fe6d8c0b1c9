//! A state machine test of credits: many environments share pots, each with its own view of plan and till.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// The pots, and the amount actually charged.
#[derive(Debug, Default)]
struct World {
    amounts: BTreeMap<Pot, (u64, Option<u64>)>,
    charged: Charge,
    granted: u64,
}

impl World {
    fn new(granted: u64) -> Self {
        let amounts = BTreeMap::from([(Pot::Granted, (granted, None))]);
        Self { amounts, granted, ..Self::default() }
    }

    fn of(&self, pot: Pot) -> (u64, Option<u64>) {
        self.amounts.get(&pot).copied().unwrap_or_default()
    }

    fn read(&self) -> Pots {
        let (taken, included) = self.of(Pot::Balance);
        let mut pots = Pots { taken, included, granted: self.of(Pot::Granted).0, ..Pots::default() };
        for (pot, (left, included)) in &self.amounts {
            match pot {
                Pot::Till(till) => drop(pots.tills.insert(*till, Till { left: *left, included: *included })),
                Pot::GrantedTill(till) => drop(pots.granted_tills.insert(*till, *left)),
                Pot::Balance | Pot::Granted => {}
            }
        }
        pots
    }

    fn holds(&self, write: &Write) -> bool {
        let (amount, marked) = self.of(write.pot);
        match write.check {
            Check::Nothing => true,
            Check::Room { at_most, included } => match self.amounts.get(&Pot::Balance) {
                None => true,
                Some(_) => amount <= at_most && marked == Some(included),
            },
            Check::Filled { at_least, included } => amount >= at_least && marked == Some(included),
            Check::AtLeast(least) => amount >= least,
            Check::Is(seen) => amount == seen,
            Check::Unchanged { amount: seen, included } => amount == seen && marked == included,
        }
    }

    /// Writes all or nothing, like the store.
    fn write(&mut self, writes: &[Write]) -> bool {
        let pots: std::collections::BTreeSet<_> = writes.iter().map(|write| write.pot).collect();
        assert_eq!(pots.len(), writes.len(), "a transaction writes no item twice: {writes:?}");
        if !writes.iter().all(|write| self.holds(write)) {
            return false;
        }
        for write in writes {
            let (amount, marked) = self.amounts.entry(write.pot).or_default();
            *amount = amount.checked_add_signed(write.add).expect("no pot goes below zero");
            match write.mark {
                Mark::Keep => {}
                Mark::Set(included) => *marked = Some(included),
                Mark::Remove => *marked = None,
            }
        }
        true
    }

    fn charge(&mut self, debit: &Debit) -> bool {
        let written = self.write(&debit.writes);
        if written {
            self.charged.included += debit.charge.included;
            self.charged.granted += debit.charge.granted;
        }
        written
    }

    fn check(&self) {
        let pots = self.read();
        assert_eq!(pots.included_used(), self.charged.included, "{pots:?}");
        assert!(pots.taken >= pots.tills.values().map(|till| till.left).sum::<u64>(), "{pots:?}");
        assert_eq!(pots.granted_left() + self.charged.granted, self.granted, "{pots:?}");
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// An environment creates a job. Its read of the pots may be some steps old.
    Create {
        till: Option<u8>,
        cost: u64,
        fast: bool,
        stale: bool,
    },
    /// One of the jobs so far fails.
    Refund(prop::sample::Index),
    Plan(u64),
    Grant(u64),
}

fn step() -> impl Strategy<Value = Step> {
    let till = prop_oneof![Just(None), (0..5u8).prop_map(Some)];
    let create = (till, prop_oneof![Just(1), 1..40u64], any::<bool>(), any::<bool>());
    prop_oneof![
        12 => create.prop_map(|(till, cost, fast, stale)| Step::Create { till, cost, fast, stale }),
        3 => any::<prop::sample::Index>().prop_map(Step::Refund),
        1 => prop_oneof![Just(0), Just(50), Just(100), 0..2000u64].prop_map(Step::Plan),
        1 => (0..60u64).prop_map(Step::Grant),
    ]
}

/// The till has as much as when it was read, but under another plan, whose credits it would spend as those of the plan that was read.
#[test]
fn a_debit_that_was_planned_under_an_earlier_plan_fails() {
    let mut world = World::default();
    let order = |included, till| Order { cost: 1, included, till };
    let create = |world: &mut World, order| {
        let debit = Debit::planned(order, &world.read()).unwrap();
        assert!(world.charge(&debit));
        debit
    };
    let of_till = create(&mut world, order(50, Some(0)));
    assert!(world.write(&Debit::refund(of_till.charge, of_till.till)));
    let stale = world.read();
    assert_eq!(stale.tills[&0], Till { left: 1, included: Some(50) });

    create(&mut world, order(100, None));
    assert!(world.write(&Debit::refund(of_till.charge, of_till.till)));
    assert_eq!(world.read().tills[&0], Till { left: 1, included: None });
    let planned = Debit::planned(order(50, Some(0)), &stale).unwrap();
    assert_eq!(planned.writes.len(), 1, "it takes the credit that it saw in the till");
    assert!(!world.charge(&planned));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn credits_are_exact_with_concurrent_debits(
        first_plan in 0..500u64, granted in 0..100u64, steps in prop::collection::vec(step(), 1..120)
    ) {
        let (mut world, mut included) = (World::new(granted), first_plan);
        let mut jobs: Vec<Debit> = Vec::new();
        let mut earlier = world.read();
        for step in steps {
            match step {
                Step::Create { till, cost, fast, stale } => {
                    let order = Order { cost, included, till };
                    let seen = if stale { earlier.clone() } else { world.read() };
                    let debit = match Debit::at_once(order).filter(|_| fast) {
                        Some(debit) => Ok(debit),
                        None => Debit::planned(order, &seen),
                    };
                    match debit {
                        Ok(debit) => {
                            prop_assert_eq!(debit.charge.total(), cost);
                            if world.charge(&debit) {
                                prop_assert!(debit.charge.included == 0 || world.charged.included <= included,
                                    "{} of {included} under the plan", world.charged.included);
                                jobs.push(debit);
                            } else if !stale && !fast {
                                prop_assert!(false, "the pots changed since they were read: {debit:?}");
                            }
                        }
                        Err(Insufficient { available }) if !stale => {
                            let left = included.saturating_sub(world.charged.included)
                                + world.granted - world.charged.granted;
                            prop_assert_eq!(available, left);
                            prop_assert!(available < cost);
                        }
                        Err(Insufficient { .. }) => {}
                    }
                    earlier = seen;
                }
                Step::Refund(which) if !jobs.is_empty() => {
                    let job = jobs.swap_remove(which.index(jobs.len()));
                    prop_assert!(world.write(&Debit::refund(job.charge, job.till)));
                    world.charged.included -= job.charge.included;
                    world.charged.granted -= job.charge.granted;
                }
                Step::Refund(_) => {}
                Step::Plan(now) => included = now,
                Step::Grant(credits) => {
                    world.granted += credits;
                    world.amounts.entry(Pot::Granted).or_default().0 += credits;
                }
            }
            world.check();
        }
    }

    /// Sixteen environments with tills of their own spend all credits and not one more.
    #[test]
    fn every_credit_can_be_spent(included in 0..3000u64, granted in 0..300u64, cost in 1..30u64) {
        let mut world = World::new(granted);
        let mut refused = 0;
        for turn in 0u64.. {
            let till = (turn % 16 > 0).then(|| u8::try_from(turn % 16).unwrap());
            let order = Order { cost, included, till };
            let at_once = [Debit::at_once(order), Some(Debit::of_granted_at_once(order))];
            if at_once.iter().flatten().next().is_some_and(|debit| world.charge(debit)) {
                continue;
            }
            match Debit::planned(order, &world.read()) {
                Ok(debit) => prop_assert!(world.charge(&debit)),
                Err(Insufficient { available }) => {
                    prop_assert!(available < cost);
                    refused += 1;
                    if refused == 16 {
                        break;
                    }
                }
            }
            world.check();
        }
        prop_assert_eq!(world.charged.total(), (included + granted) / cost * cost);
    }
}

#[test]
fn a_smaller_plan_applies_at_once_to_all_tills() {
    let mut world = World::new(0);
    let order = |included, till| Order { cost: 1, included, till };
    // The till gets more than the job costs.
    let filled = Debit::planned(order(1000, Some(3)), &world.read()).unwrap();
    assert!(world.charge(&filled) && world.read().tills[&3].left > 0);
    // Neither the balance nor the till is valid under the smaller plan.
    let smaller = order(1, Some(3));
    assert!(!world.charge(&Debit::at_once(smaller).unwrap()));
    assert!(!world.charge(&Debit::at_once(Order { till: None, ..smaller }).unwrap()));
    assert_eq!(Debit::planned(smaller, &world.read()), Err(Insufficient { available: 0 }));
    // A larger plan makes all of its credits available.
    let pots = world.read();
    assert_eq!(pots.included_left(2000), 1999);
    assert!(world.charge(&Debit::planned(Order { cost: 1999, included: 2000, till: None }, &pots).unwrap()));
    world.check();
}
