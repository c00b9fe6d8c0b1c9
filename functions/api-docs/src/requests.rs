//! Requests for tests: valid ones with changes at random places.

use docmill_domain::tool::Definition;
use docmill_look::example::body::sample;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

/// 120 requests to a tool, the same in each run. Many of them break its rules.
pub(crate) fn requests(tool: &Definition) -> Vec<Value> {
    let mut found = Vec::new();
    places(&tool.parameters, &[], &mut found);
    let changes = prop::collection::vec((prop::sample::select(found), any_value()), 0..4);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut request = || {
        let mut body = sample(tool);
        for (place, value) in changes.new_tree(&mut runner).unwrap().current() {
            put(&mut body, &place, value);
        }
        body
    };
    (0..120).map(|_| request()).collect()
}

/// Any JSON that a request could have in one place, near the limits of the schemas.
fn any_value() -> impl Strategy<Value = Value> {
    let plain = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|value| json!(value)),
        (-2_i64..2_000).prop_map(|value| json!(value)),
        (0.0..2.0).prop_map(|value: f64| json!(value)),
        "[a-z0-9:/.#%,;|\t-]{0,12}".prop_map(|value| json!(value)),
        Just(json!(",")),
        Just(json!("\t")),
        Just(json!("https://files.example.com/a.pdf")),
        Just(json!("x".repeat(300))),
    ];
    plain.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| json!(items)),
            prop::collection::vec(("[a-z]{1,6}", inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every place of a schema's properties as a path of keys.
fn places(schema: &Value, before: &[String], found: &mut Vec<Vec<String>>) {
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let place = [before, std::slice::from_ref(name)].concat();
        places(member, &place, found);
        places(&member["items"], &[place.as_slice(), &["0".to_owned()]].concat(), found);
        found.push(place);
    }
}

fn put(body: &mut Value, place: &[String], value: Value) {
    let [key, rest @ ..] = place else { return *body = value };
    if key == "0" {
        if !body.is_array() {
            *body = json!([{}]);
        }
        if let Some(first) = body.as_array_mut().and_then(|items| items.first_mut()) {
            put(first, rest, value);
        }
        return;
    }
    if !body.is_object() {
        *body = json!({});
    }
    put(&mut body[key], rest, value);
}
