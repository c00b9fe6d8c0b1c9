//! How deeply JSON is nested.

use serde_json::{Map, Value};

/// Deepest nesting of a request.
pub const MAX_NESTING: usize = 64;

/// Levels of nesting, counting the object itself. The parser's own limit is 128.
pub fn depth(object: &Map<String, Value>) -> usize {
    fn of(value: &Value) -> usize {
        match value {
            Value::Object(object) => depth(object),
            Value::Array(items) => 1 + items.iter().map(of).max().unwrap_or(0),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
        }
    }
    1 + object.values().map(of).max().unwrap_or(0)
}
