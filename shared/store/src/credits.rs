//! The pots of credits as items of the Usage table. `domain::credits` decides what is written.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::builders::UpdateBuilder;
use aws_sdk_dynamodb::types::{TransactWriteItem, Update};
use futures_util::try_join;

use super::StoreError;
use super::dynamo::{self, Transacted, all_items, transact};
use super::item::{Item, UsageItem, from_item, number, string};
use docmill_domain::account::Profile;
use docmill_domain::credits::{Check, Debit, Mark, Pot, Pots, Till, Write};
use docmill_domain::quota::Charge;
use docmill_domain::time::Period;

/// A strongly consistent read of an account's credits in a month.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    /// `None` if there is no such account.
    pub profile: Option<Profile>,
    /// Where the credits are.
    pub pots: Pots,
    /// Credits used, less refunds.
    pub used: u64,
    /// Jobs created.
    pub created: u64,
}

pub(super) async fn read(client: &Client, table: &str, account: &str, period: Period) -> Result<Credits, StoreError> {
    let query = |first: String, last: String| {
        client
            .query()
            .table_name(table)
            .consistent_read(true)
            .key_condition_expression("account = :account AND #item BETWEEN :first AND :last")
            .expression_attribute_names("#item", "item")
            .expression_attribute_values(":account", string(account))
            .expression_attribute_values(":first", string(first))
            .expression_attribute_values(":last", string(last))
    };
    let month = UsageItem::Balance(period).sort_key();
    // The profile is sorted right after the tills of granted credits.
    let (first_till, profile) = (UsageItem::GrantedTill(0).sort_key(), UsageItem::Profile.sort_key());
    let (month, granted) =
        try_join!(all_items(query(month.clone(), format!("{month}#~"))), all_items(query(first_till, profile)))?;
    let mut credits = Credits::default();
    for item in month.into_iter().chain(granted) {
        credits.add(item, period)?;
    }
    Ok(credits)
}

impl Credits {
    fn add(&mut self, item: Item, period: Period) -> Result<(), StoreError> {
        let key = item.get("item").and_then(|key| key.as_s().ok()).cloned().unwrap_or_default();
        if key == UsageItem::Profile.sort_key() {
            let profile: Profile = from_item(item)?;
            self.pots.granted = profile.granted;
            self.profile = Some(profile);
        } else if let Some(till) = UsageItem::granted_till(&key) {
            self.pots.granted_tills.insert(till, amount(&item, "left"));
        } else if key == UsageItem::Balance(period).sort_key() {
            self.pots.taken = amount(&item, "taken");
            self.pots.included = item.contains_key("included").then(|| amount(&item, "included"));
            self.count(&item);
        } else if let Some(till) = UsageItem::till(&key, period) {
            let included = item.contains_key("included").then(|| amount(&item, "included"));
            self.pots.tills.insert(till, Till { left: amount(&item, "left"), included });
            self.count(&item);
        }
        Ok(())
    }

    fn count(&mut self, item: &Item) {
        self.used += amount(item, "used");
        self.created += amount(item, "created");
    }
}

/// A number of an item; 0 if absent.
fn amount(item: &Item, name: &str) -> u64 {
    item.get(name).and_then(|value| value.as_n().ok()).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// The writes of a debit, which also count its job.
pub(super) fn debit(
    table: &str,
    account: &str,
    period: Period,
    debit: &Debit,
) -> Result<Vec<TransactWriteItem>, StoreError> {
    let counts = Counting { used: signed(debit.charge), created: 1 };
    writes(table, account, period, &debit.writes, debit.till, counts, false)
}

/// The writes of a refund. They fail if the account was removed, so that they don't create an item with nothing but credits.
pub(super) fn refund(
    table: &str,
    account: &str,
    period: Period,
    charge: Charge,
    till: Option<u8>,
) -> Result<Vec<TransactWriteItem>, StoreError> {
    if charge.total() == 0 {
        return Ok(Vec::new());
    }
    let counts = Counting { used: -signed(charge), created: 0 };
    writes(table, account, period, &Debit::refund(charge, till), till, counts, true)
}

/// Returns the credits of all tills to the account's balance, in a transaction of its own. If others change the same pots,
/// nothing is written: the caller reads them again.
pub(super) async fn gather(
    client: &Client,
    table: &str,
    account: &str,
    period: Period,
    pots: &Pots,
) -> Result<Transacted, StoreError> {
    // Timeline: 90 awaited jobs and 32 tills of an earlier plan do not fit into one transaction. The tills are emptied first.
    // Another environment spends from a till in between: its amount is not the one that was read, and nothing is written.
    let nothing = Counting { used: 0, created: 0 };
    let writes = writes(table, account, period, &pots.gathered(), None, nothing, false)?;
    transact(client, writes).await
}

/// What a pot of the month counts besides credits.
#[derive(Clone, Copy)]
struct Counting {
    used: i64,
    created: i64,
}

fn writes(
    table: &str,
    account: &str,
    period: Period,
    writes: &[Write],
    till: Option<u8>,
    counts: Counting,
    must_exist: bool,
) -> Result<Vec<TransactWriteItem>, StoreError> {
    let counted_at = till.map_or(Pot::Balance, Pot::Till);
    let write = |write: &Write| {
        let key = match write.pot {
            Pot::Balance => UsageItem::Balance(period),
            Pot::Till(till) => UsageItem::Till(period, till),
            Pot::Granted => UsageItem::Profile,
            Pot::GrantedTill(till) => UsageItem::GrantedTill(till),
        };
        let mut expression = Expression::new(write.pot);
        expression.add("amount", write.add);
        if write.pot == counted_at {
            expression.add("used", counts.used);
            expression.add("created", counts.created);
        }
        match write.mark {
            Mark::Keep => {}
            Mark::Set(included) => expression.set_plan(included),
            Mark::Remove => expression.remove_plan(),
        }
        expression.check(write.check);
        if must_exist {
            expression.conditions.push("attribute_exists(account)".to_owned());
        }
        let update = Update::builder().table_name(table).set_key(Some(key.key(account)));
        dynamo::update(expression.into_update(update).build())
    };
    writes.iter().map(write).collect()
}

/// The texts of an update, with their names and values.
struct Expression {
    additions: Vec<String>,
    mark: Option<&'static str>,
    conditions: Vec<String>,
    names: BTreeMap<&'static str, &'static str>,
    values: BTreeMap<String, i64>,
}

impl Expression {
    fn new(pot: Pot) -> Self {
        let amount = match pot {
            Pot::Balance => "taken",
            Pot::Till(_) | Pot::GrantedTill(_) => "left",
            Pot::Granted => "granted",
        };
        let names =
            BTreeMap::from([("#amount", amount), ("#used", "used"), ("#created", "created"), ("#plan", "included")]);
        Self { additions: Vec::new(), mark: None, conditions: Vec::new(), names, values: BTreeMap::new() }
    }

    fn value(&mut self, name: &str, value: i64) -> String {
        let name = format!(":{name}");
        self.values.insert(name.clone(), value);
        name
    }

    fn add(&mut self, name: &str, by: i64) {
        if by != 0 {
            let value = self.value(name, by);
            self.additions.push(format!("#{name} {value}"));
        }
    }

    fn set_plan(&mut self, included: u64) {
        self.value("marked", i64::try_from(included).unwrap_or(i64::MAX));
        self.mark = Some("SET #plan = :marked");
    }

    fn remove_plan(&mut self) {
        self.mark = Some("REMOVE #plan");
    }

    fn is(&mut self, seen: u64) {
        let value = self.value("seen", signed_amount(seen));
        self.conditions.push(match seen {
            0 => format!("(attribute_not_exists(#amount) OR #amount = {value})"),
            _ => format!("#amount = {value}"),
        });
    }

    /// Timeline of all checks: A and B compete for the last credits. The condition is checked at the write, whatever they have
    /// read. One of them finds too few credits or a changed amount, and reads again.
    fn check(&mut self, check: Check) {
        match check {
            Check::Nothing => {}
            Check::AtLeast(least) => {
                let least = self.value("least", signed_amount(least));
                self.conditions.push(format!("#amount >= {least}"));
            }
            Check::Is(seen) => self.is(seen),
            Check::Filled { at_least, included } => {
                let (least, plan) =
                    (self.value("least", signed_amount(at_least)), self.value("plan", signed_amount(included)));
                self.conditions.push(format!("#amount >= {least} AND #plan = {plan}"));
            }
            // Timeline: the plan changes from 100 to 50 credits while tills hold credits of the old plan. The first write under
            // the new plan fails here and empties all tills before it continues.
            Check::Room { at_most, included } => {
                let (most, plan) =
                    (self.value("most", signed_amount(at_most)), self.value("plan", signed_amount(included)));
                self.conditions
                    .push(format!("(attribute_not_exists(#amount) OR (#amount <= {most} AND #plan = {plan}))"));
            }
            // Timeline: a till holds one credit of a plan of 50 when it is read. The plan changes to 100 and back, which empties the
            // till, and a refund puts one credit into it. The amount is the one that was read, but the credit is spent already.
            Check::Unchanged { amount, included } => {
                self.is(amount);
                match included {
                    None => self.conditions.push("attribute_not_exists(#plan)".to_owned()),
                    Some(included) => {
                        let plan = self.value("plan", signed_amount(included));
                        self.conditions.push(format!("#plan = {plan}"));
                    }
                }
            }
        }
    }

    fn into_update(self, mut update: UpdateBuilder) -> UpdateBuilder {
        let additions =
            if self.additions.is_empty() { None } else { Some(format!("ADD {}", self.additions.join(", "))) };
        let clauses: Vec<String> = self.mark.map(str::to_owned).into_iter().chain(additions).collect();
        let update_text = clauses.join(" ");
        let condition = self.conditions.join(" AND ");
        for (name, attribute) in self.names {
            // DynamoDB refuses unused names.
            if update_text.contains(name) || condition.contains(name) {
                update = update.expression_attribute_names(name, attribute);
            }
        }
        for (name, value) in self.values {
            update = update.expression_attribute_values(name, number(value));
        }
        if !condition.is_empty() {
            update = update.condition_expression(condition);
        }
        update.update_expression(update_text)
    }
}

fn signed(charge: Charge) -> i64 {
    signed_amount(charge.total())
}

fn signed_amount(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}
