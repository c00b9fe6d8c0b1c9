//! Links of the data, which `{:link url}` writes.
//!
//! Links lead to pages and to addresses of e-mail. Nothing else: a reader who follows one runs nothing and opens no file.

use std::borrow::Cow;

use serde_json::Value;

use crate::expression::Expression;
use crate::problem::Fault;
use crate::value::{kind_of, text_of};

/// The filter that gives a link its text.
const TEXT: &str = "text";
/// Longest address: programs refuse longer ones.
const LONGEST: usize = 2048;
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];
/// What objects call a link's address: here, and in templates of other programs.
const ADDRESSES: [&str; 2] = ["url", "target"];
const QUOTED_CHARACTERS: usize = 60;

/// Where a link leads, as it is written into a document: it needs no more than XML's or HTML's escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address(String);

impl Address {
    /// `None` for nothing.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, Fault> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let lower = text.to_ascii_lowercase();
        let is_address = SCHEMES.iter().any(|scheme| lower.len() > scheme.len() && lower.starts_with(scheme));
        let address = if is_address {
            text.to_owned()
        } else if is_mailbox(text) {
            format!("mailto:{text}")
        } else {
            let shown: String = text.chars().take(QUOTED_CHARACTERS).collect();
            return Err(Fault::unusable(format!(
                "`{shown}` can't be a link. Links begin with `https://`, `http://` or `mailto:`."
            )));
        };
        let address = encoded(&address);
        if address.len() > LONGEST {
            return Err(Fault::unusable(format!("A link has at most {LONGEST} characters.")));
        }
        Ok(Some(Self(address)))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// `ada@example.com`
fn is_mailbox(text: &str) -> bool {
    let is_sign = |c: char| !c.is_whitespace() && !c.is_control() && !"@:/\\?#<>\"".contains(c);
    text.split_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && name.chars().all(is_sign) && host.chars().all(is_sign)
    })
}

/// Without signs that end an address in some place where it is written.
fn encoded(address: &str) -> String {
    let mut written = String::with_capacity(address.len());
    for sign in address.chars() {
        if sign.is_control() || sign.is_whitespace() || "\"<>\\^`{|}".contains(sign) {
            let mut bytes = [0; 4];
            for byte in sign.encode_utf8(&mut bytes).bytes() {
                written.push_str(&format!("%{byte:02X}"));
            }
        } else {
            written.push(sign);
        }
    }
    written
}

/// A link of the data, with its text.
#[derive(Debug)]
pub(crate) struct Link<'v> {
    pub(crate) address: Address,
    pub(crate) text: Cow<'v, str>,
}

impl<'v> Link<'v> {
    /// An address, or an object with an address and a text. `None` for nothing.
    pub(crate) fn of(value: &'v Value) -> Result<Option<Self>, Fault> {
        let (address, text) = match value {
            Value::Null => return Ok(None),
            Value::String(address) => (address, None),
            Value::Object(members) => {
                let address = ADDRESSES.iter().find_map(|name| members.get(*name)?.as_str());
                let address = address.ok_or_else(|| Fault::unusable("The value has no `url` that is text."))?;
                let text = members.get("text").filter(|text| !text.is_null()).map(text_of).transpose()?;
                return Self::new(address, text);
            }
            Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                let message =
                    format!("A link needs an address or an object with `url`, but the value is {}.", kind_of(value));
                return Err(Fault::unusable(message));
            }
        };
        Self::new(address, text)
    }

    fn new(address: &'v str, text: Option<Cow<'v, str>>) -> Result<Option<Self>, Fault> {
        let Some(parsed) = Address::parse(address)? else { return Ok(None) };
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or(Cow::Borrowed(address.trim()));
        Ok(Some(Self { address: parsed, text }))
    }
}

/// The expression of an address, and that of its text if it has the filter for it.
pub(crate) fn split(expression: Expression) -> Result<(Expression, Option<Expression>), Fault> {
    let Expression::Filter { name, input, mut arguments } = expression else { return Ok((expression, None)) };
    if name != TEXT {
        return Ok((Expression::Filter { name, input, arguments }, None));
    }
    match (arguments.pop(), arguments.is_empty()) {
        (Some(text), true) => Ok((*input, Some(text))),
        (Some(_) | None, _) => Err(Fault::invalid("The filter `text` takes one text, as in `text:'Our shop'`.")),
    }
}
