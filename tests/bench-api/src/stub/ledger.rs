//! A model of DynamoDB's Usage table for balances: it checks conditions, adds numbers, and refuses transactions on items that
//! another one writes.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::sync::Mutex;

use serde_json::{Map, Value, json};

type Item = Map<String, Value>;
type Key = (String, String);

#[derive(Debug, Default)]
pub(super) struct Ledger {
    items: Mutex<BTreeMap<Key, Item>>,
    jobs: Mutex<HashSet<String>>,
    /// Items that transactions are writing.
    held: Mutex<HashSet<Key>>,
}

/// The items that a transaction holds until it ends in any way.
struct Hold<'a> {
    ledger: &'a Ledger,
    keys: Vec<Key>,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if let Ok(mut held) = self.ledger.held.lock() {
            for key in &self.keys {
                held.remove(key);
            }
        }
    }
}

impl Ledger {
    pub(super) fn new(items: &[Value]) -> Self {
        let items = items.iter().filter_map(|item| Some((key(item)?, item.as_object()?.clone())));
        Self { items: Mutex::new(items.collect()), ..Self::default() }
    }

    /// The number of stored jobs.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.lock().map_or(0, |jobs| jobs.len())
    }

    pub(super) fn has_job(&self, id: &str) -> bool {
        self.jobs.lock().is_ok_and(|jobs| jobs.contains(id))
    }

    /// Runs a transaction. `Err` has the cancellation reasons. `meanwhile` takes the transaction's time.
    pub(super) async fn transact(
        &self,
        parts: &[Value],
        meanwhile: impl Future<Output = ()>,
    ) -> Result<(), Vec<Value>> {
        let reasons = |refused: &dyn Fn(&Value) -> bool, code: &str| {
            parts.iter().map(|part| json!({"Code": if refused(part) { code } else { "None" }})).collect()
        };
        let keys: Vec<Key> = parts.iter().filter_map(|part| key(&part["Update"]["Key"])).collect();
        let hold = {
            let Ok(mut held) = self.held.lock() else { return Err(Vec::new()) };
            let taken = |part: &Value| key(&part["Update"]["Key"]).is_some_and(|key| held.contains(&key));
            if parts.iter().any(&taken) {
                return Err(reasons(&taken, "TransactionConflict"));
            }
            held.extend(keys.iter().cloned());
            Hold { ledger: self, keys }
        };
        meanwhile.await;
        let (Ok(mut items), Ok(mut jobs)) = (self.items.lock(), self.jobs.lock()) else { return Err(Vec::new()) };
        let id = |part: &Value| part["Put"]["Item"]["id"]["S"].as_str().map(str::to_owned);
        let fails = |part: &Value| match key(&part["Update"]["Key"]) {
            Some(key) => !Expression::of(&part["Update"], items.get(&key)).holds(),
            None => id(part).is_some_and(|id| jobs.contains(&id)),
        };
        if parts.iter().any(&fails) {
            return Err(reasons(&fails, "ConditionalCheckFailed"));
        }
        for part in parts {
            match key(&part["Update"]["Key"]) {
                Some(key) => {
                    let changed = Expression::of(&part["Update"], items.get(&key)).updated();
                    items.insert(key, changed);
                }
                None => jobs.extend(id(part)),
            }
        }
        drop(hold);
        Ok(())
    }

    /// The result of a `Query` for an account between two sort keys.
    pub(super) fn between(&self, request: &Value) -> Vec<Value> {
        let value =
            |name: &str| request["ExpressionAttributeValues"][name]["S"].as_str().unwrap_or_default().to_owned();
        let (account, first, last) = (value(":account"), value(":first"), value(":last"));
        let Ok(items) = self.items.lock() else { return Vec::new() };
        let found = items.range((account.clone(), first)..=(account, last));
        found.map(|(_, item)| Value::Object(item.clone())).collect()
    }
}

fn key(item: &Value) -> Option<Key> {
    Some((item["account"]["S"].as_str()?.to_owned(), item["item"]["S"].as_str()?.to_owned()))
}

/// An update with its condition, applied to an item: the part of DynamoDB's language that balances use.
struct Expression<'a> {
    update: &'a Value,
    item: Item,
}

impl<'a> Expression<'a> {
    fn of(update: &'a Value, item: Option<&Item>) -> Self {
        Self { update, item: item.cloned().unwrap_or_default() }
    }

    fn holds(&self) -> bool {
        let condition = self.update["ConditionExpression"].as_str().unwrap_or_default();
        condition.is_empty() || self.any(condition)
    }

    /// Alternatives of parts that must all be true. Parentheses are supported.
    fn any(&self, text: &str) -> bool {
        split(text, " OR ").into_iter().any(|part| split(part, " AND ").into_iter().all(|part| self.one(part.trim())))
    }

    fn one(&self, text: &str) -> bool {
        if let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
            return self.any(inner);
        }
        let argument = |function: &str| text.strip_prefix(function).and_then(|rest| rest.strip_suffix(')'));
        if let Some(name) = argument("attribute_not_exists(") {
            return !self.item.contains_key(self.name(name));
        }
        if let Some(name) = argument("attribute_exists(") {
            return self.item.contains_key(self.name(name)) || name == "account" && !self.item.is_empty();
        }
        let mut words = text.split_whitespace();
        let (Some(name), Some(operator), Some(value)) = (words.next(), words.next(), words.next()) else {
            return false;
        };
        let Some(found) = self.item.get(self.name(name)).and_then(number) else { return false };
        let ordering = found.cmp(&self.value(value));
        match operator {
            "=" => ordering == Ordering::Equal,
            "<=" => ordering != Ordering::Greater,
            ">=" => ordering != Ordering::Less,
            _ => false,
        }
    }

    fn updated(mut self) -> Item {
        let text = self.update["UpdateExpression"].as_str().unwrap_or_default().to_owned();
        let mut verb = "";
        let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty() && *word != "=").collect();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            if let "ADD" | "SET" | "REMOVE" = word {
                verb = word;
                continue;
            }
            let name = self.name(word).to_owned();
            match verb {
                "REMOVE" => drop(self.item.remove(&name)),
                _ => {
                    let value = self.value(words.next().unwrap_or_default());
                    let before = if verb == "ADD" { self.item.get(&name).and_then(number).unwrap_or(0) } else { 0 };
                    self.item.insert(name, json!({"N": (before + value).to_string()}));
                }
            }
        }
        for name in ["account", "item"] {
            self.item.insert(name.to_owned(), self.update["Key"][name].clone());
        }
        self.item
    }

    fn name<'b>(&'b self, name: &'b str) -> &'b str {
        self.update["ExpressionAttributeNames"][name].as_str().unwrap_or(name)
    }

    fn value(&self, name: &str) -> i64 {
        number(&self.update["ExpressionAttributeValues"][name]).unwrap_or(0)
    }
}

fn number(value: &Value) -> Option<i64> {
    value["N"].as_str()?.parse().ok()
}

/// Splits outside parentheses.
fn split<'a>(text: &'a str, at: &str) -> Vec<&'a str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (position, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && position >= start && text[position..].starts_with(at) => {
                parts.push(&text[start..position]);
                start = position + at.len();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(condition: &str, update: &str) -> Value {
        json!({
            "Key": {"account": {"S": "a"}, "item": {"S": "x"}},
            "ConditionExpression": condition,
            "UpdateExpression": update,
            "ExpressionAttributeNames": {"#n": "taken", "#p": "included"},
            "ExpressionAttributeValues": {":one": {"N": "1"}, ":five": {"N": "5"}},
        })
    }

    #[test]
    fn conditions_are_evaluated_as_in_dynamodb() {
        let item = json!({"taken": {"N": "5"}}).as_object().unwrap().clone();
        for (condition, absent, present) in [
            ("attribute_not_exists(#n)", true, false),
            ("(attribute_not_exists(#n) OR (#n <= :one AND #p = :five))", true, false),
            ("#n >= :five AND attribute_not_exists(#p)", false, true),
            ("(attribute_not_exists(#n) OR #n = :five) AND attribute_exists(account)", false, true),
        ] {
            let update = update(condition, "");
            assert_eq!(Expression::of(&update, None).holds(), absent, "{condition}");
            assert_eq!(Expression::of(&update, Some(&item)).holds(), present, "{condition}");
        }
    }

    #[test]
    fn updates_add_set_and_remove() {
        let item = json!({"taken": {"N": "5"}}).as_object().unwrap().clone();
        let changed = Expression::of(&update("", "SET #p = :five ADD #n :one"), Some(&item)).updated();
        assert_eq!((&changed["taken"]["N"], &changed["included"]["N"]), (&json!("6"), &json!("5")));
        let changed = Expression::of(&update("", "REMOVE #p ADD #n :one"), Some(&changed)).updated();
        assert_eq!((&changed["taken"]["N"], changed.get("included")), (&json!("7"), None));
    }
}
