//! The audit trail: who changed what and when, with old and new values, and who looked at a customer's keys and jobs.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use uuid::Uuid;

use crate::job::JobId;
use crate::time::Timestamp;

/// Who makes a change, and the reason if given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Author {
    /// An administrator's email address, or `cli:` and an operating system user.
    pub actor: String,
    /// As the administrator wrote it.
    pub reason: Option<String>,
    /// When the change is made.
    pub at: Timestamp,
}

/// What was changed. Written `tool/office-to-pdf`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Subject {
    /// What kind of thing it is.
    pub kind: SubjectKind,
    /// A tool's slug, a plan's or account's id, an email address, or the name of the service's settings.
    pub id: String,
}

/// What kind of thing is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubjectKind {
    /// The settings of a tool.
    Tool,
    /// A plan.
    Plan,
    /// Settings of the whole service.
    Service,
    /// An account, or its keys and jobs.
    Account,
    /// Everybody who signs in with an email address.
    User,
}

impl SubjectKind {
    /// For reading a subject's text.
    pub const ALL: [Self; 5] = [Self::Tool, Self::Plan, Self::Service, Self::Account, Self::User];

    /// What stands before the slash.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Plan => "plan",
            Self::Service => "service",
            Self::Account => "account",
            Self::User => "user",
        }
    }
}

impl Subject {
    /// The subject of this kind and id.
    pub fn new(kind: SubjectKind, id: impl Into<String>) -> Self {
        Self { kind, id: id.into() }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.as_str(), self.id)
    }
}

/// The text has no slash, or no known kind before it.
#[derive(Debug, thiserror::Error)]
#[error("a subject is written kind/id")]
pub struct InvalidSubject;

impl FromStr for Subject {
    type Err = InvalidSubject;

    fn from_str(text: &str) -> Result<Self, InvalidSubject> {
        let (kind, id) = text.split_once('/').ok_or(InvalidSubject)?;
        let kind = SubjectKind::ALL.into_iter().find(|known| known.as_str() == kind).ok_or(InvalidSubject)?;
        Ok(Self::new(kind, id))
    }
}

impl From<Subject> for String {
    fn from(subject: Subject) -> Self {
        subject.to_string()
    }
}

impl TryFrom<String> for Subject {
    type Error = InvalidSubject;

    fn try_from(text: String) -> Result<Self, InvalidSubject> {
        text.parse()
    }
}

/// What an administrator viewed in a customer's account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// The list of its keys.
    Keys,
    /// The list of its jobs.
    Jobs,
    /// One job, with its request and result.
    Job(JobId),
}

/// An entry: one change or one view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// UUIDv7, so that entries are sorted by time.
    pub id: String,
    /// When it happened.
    pub at: Timestamp,
    /// As in [`Author::actor`].
    pub actor: String,
    /// What was changed or viewed.
    pub subject: Subject,
    /// Sorted by field.
    pub changes: Vec<FieldChange>,
    /// What was viewed. Such an entry has no changes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub viewed: Option<View>,
    /// As in [`Author::reason`].
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

impl AuditEntry {
    /// An administrator has looked at a customer's data.
    pub fn of_view(account: &str, viewed: View, by: &Author) -> Self {
        let entry = Self::new(Subject::new(SubjectKind::Account, account), Vec::new(), by);
        Self { viewed: Some(viewed), ..entry }
    }

    /// Something that is done once, such as a key that is revoked. `what` is shown like a field, and `which` like its new value.
    pub fn of_act(subject: Subject, what: &str, which: impl Into<Value>, by: &Author) -> Self {
        let change = FieldChange { field: what.to_owned(), before: None, after: Some(which.into()) };
        Self::new(subject, vec![change], by)
    }

    /// Something has been changed.
    pub fn new(subject: Subject, changes: Vec<FieldChange>, by: &Author) -> Self {
        Self {
            id: Uuid::now_v7().to_string(),
            at: by.at,
            actor: by.actor.clone(),
            subject,
            changes,
            viewed: None,
            reason: by.reason.clone(),
        }
    }
}

/// A changed field. A missing value was not set before, or is no longer set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldChange {
    /// A dotted path, e.g. `pageVisibility.api`.
    pub field: String,
    /// `None` if it was not set.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<Value>,
    /// `None` if it is no longer set.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<Value>,
}

/// The changes from `before` to `after`, sorted by field.
///
/// # Errors
/// If JSON can't represent a value.
pub fn diff(before: &impl Serialize, after: &impl Serialize) -> Result<Vec<FieldChange>, serde_json::Error> {
    let (mut before, mut after) = (leaves(&serde_json::to_value(before)?), leaves(&serde_json::to_value(after)?));
    let fields: std::collections::BTreeSet<String> = before.keys().chain(after.keys()).cloned().collect();
    let change = |field: String| {
        let (before, after) = (before.remove(&field), after.remove(&field));
        (before != after).then_some(FieldChange { field, before, after })
    };
    Ok(fields.into_iter().filter_map(change).collect())
}

/// The values of a document by dotted path. A list is one value; null counts as not set.
fn leaves(document: &Value) -> BTreeMap<String, Value> {
    fn collect(path: &str, value: &Value, found: &mut BTreeMap<String, Value>) {
        match value {
            Value::Null => {}
            Value::Object(fields) => {
                for (name, value) in fields {
                    let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                    collect(&path, value, found);
                }
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                found.insert(path.to_owned(), value.clone());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect("", document, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn object(value: BoxedStrategy<Value>) -> BoxedStrategy<Value> {
        let fields = prop::collection::btree_map("[a-d]", value, 0..4);
        fields.prop_map(|fields| Value::Object(fields.into_iter().collect())).boxed()
    }

    fn document() -> BoxedStrategy<Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u32>().prop_map(Value::from),
            "[a-z]{0,5}".prop_map(Value::from),
            prop::collection::vec("[a-z]{0,3}", 0..3).prop_map(Value::from),
        ];
        object(leaf.prop_recursive(3, 24, 4, object).boxed())
    }

    proptest! {
        #[test]
        fn a_diff_turns_before_into_after_and_names_nothing_else(before in document(), after in document()) {
            let mut patched = leaves(&before);
            for FieldChange { field, before, after } in diff(&before, &after).unwrap() {
                prop_assert_ne!(&before, &after, "{} did not change", &field);
                prop_assert_eq!(patched.remove(&field), before);
                patched.extend(after.map(|after| (field, after)));
            }
            prop_assert_eq!(patched, leaves(&after));
        }

        #[test]
        fn nothing_differs_from_itself(same in document()) {
            prop_assert_eq!(diff(&same, &same).unwrap(), Vec::new());
        }
    }

    #[test]
    fn a_change_names_its_path() {
        let before = json!({"state": "live", "pageVisibility": {"api": true, "public": true}});
        let after = json!({"state": "live", "pageVisibility": {"api": false, "public": true}, "category": "office"});
        let told: Vec<_> = diff(&before, &after).unwrap();
        assert_eq!(
            serde_json::to_value(told).unwrap(),
            json!([
                {"field": "category", "after": "office"},
                {"field": "pageVisibility.api", "before": true, "after": false},
            ])
        );
    }

    #[test]
    fn a_subject_reads_as_it_is_written() {
        for kind in SubjectKind::ALL {
            let subject = Subject::new(kind, "a/b");
            assert_eq!(subject.to_string().parse::<Subject>().unwrap(), subject);
        }
        assert!("nothing/x".parse::<Subject>().is_err() && "tool".parse::<Subject>().is_err());
    }
}
