//! Plans on the public page, and where to ask for credits.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::account::user::Email;

/// A plan on the public page. Plans without an offer are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// The title, e.g. `Team`.
    pub title: String,
    /// The price as text, e.g. `€29 per month`.
    pub price: String,
}

impl Offer {
    /// Most characters of a title.
    pub const TITLE_LENGTH: usize = 40;
    /// Most characters of a price.
    pub const PRICE_LENGTH: usize = 80;

    /// `None` if either text is empty or too long.
    pub fn new(title: &str, price: &str) -> Option<Self> {
        let (title, price) = (title.trim(), price.trim());
        (Self::fits(title, Self::TITLE_LENGTH) && Self::fits(price, Self::PRICE_LENGTH))
            .then(|| Self { title: title.to_owned(), price: price.to_owned() })
    }

    /// Whether a trimmed text can be a title or price of at most this many characters.
    pub fn fits(text: &str, most: usize) -> bool {
        !text.is_empty() && text.chars().count() <= most
    }
}

/// Where to ask for credits: a `mailto:` or `https:` URL, which is safe in a link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Contact(Url);

/// The text is no address to ask at, or is too long.
#[derive(Debug, thiserror::Error)]
#[error("expected an email address, a mailto: URL, or an https: URL")]
pub struct InvalidContact;

impl Contact {
    /// Most bytes of the URL.
    pub const LENGTH: usize = 500;

    /// Also accepts a bare email address.
    ///
    /// # Errors
    /// If the text is no email address, `mailto:` URL, or `https:` URL without a password, or is longer than [`Self::LENGTH`].
    pub fn parse(text: &str) -> Result<Self, InvalidContact> {
        let text = text.trim();
        let is_address = !text.contains(':') && Email::parse(text).is_some();
        let url = if is_address { format!("mailto:{text}") } else { text.to_owned() };
        let url = Url::parse(&url).map_err(|_| InvalidContact)?;
        let is_safe = match url.scheme() {
            "mailto" => Email::parse(url.path()).is_some(),
            "https" => url.has_host() && url.username().is_empty() && url.password().is_none(),
            _ => false,
        };
        if is_safe && url.as_str().len() <= Self::LENGTH { Ok(Self(url)) } else { Err(InvalidContact) }
    }

    /// For `href`.
    pub fn as_url(&self) -> &str {
        self.0.as_str()
    }
}

/// Without `mailto:`.
impl fmt::Display for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.scheme() == "mailto" { self.0.path() } else { self.0.as_str() })
    }
}

impl From<Contact> for String {
    fn from(contact: Contact) -> Self {
        contact.0.into()
    }
}

impl TryFrom<String> for Contact {
    type Error = InvalidContact;

    fn try_from(text: String) -> Result<Self, InvalidContact> {
        Self::parse(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_mail_address_or_a_secure_page() {
        for (text, url, shown) in [
            ("billing@docmill.example", "mailto:billing@docmill.example", "billing@docmill.example"),
            ("mailto:a@b.example?subject=Credits", "mailto:a@b.example?subject=Credits", "a@b.example"),
            (" https://docmill.example/buy ", "https://docmill.example/buy", "https://docmill.example/buy"),
        ] {
            let contact = Contact::parse(text).unwrap();
            assert_eq!((contact.as_url(), contact.to_string().as_str()), (url, shown));
            let stored = serde_json::to_value(&contact).unwrap();
            assert_eq!(serde_json::from_value::<Contact>(stored).unwrap(), contact);
        }
        for text in
            ["", "billing", "javascript:alert(1)", "http://docmill.example", "https://user@x.example", "mailto:"]
        {
            assert!(Contact::parse(text).is_err(), "{text}");
        }
        assert!(Contact::parse(&format!("https://x.example/{}", "x".repeat(500))).is_err());
    }

    #[test]
    fn an_offer_has_a_title_and_a_price() {
        assert_eq!(Offer::new(" Team ", "€29 per month").unwrap().title, "Team");
        assert!(Offer::new("", "€29").is_none() && Offer::new("Team", " ").is_none());
        assert!(Offer::new(&"x".repeat(41), "€29").is_none());
    }
}
