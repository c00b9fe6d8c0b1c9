//! Users of the dashboard: identity, account and sessions.

use std::fmt;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::RngExt;
use serde::{Deserialize, Serialize};

use crate::sha256_hex;
use crate::time::Timestamp;

/// A session ends when it is unused for this long.
pub const SESSION_IDLE: Duration = Duration::from_secs(2 * 3600);
/// A session ends this long after it began, even if it is in use.
pub const SESSION_TIME: Duration = Duration::from_secs(12 * 3600);
const TOKEN_BYTES: usize = 32;

/// What a user may see: their own account, or the whole service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Their own account.
    User,
    /// The whole service.
    Admin,
}

/// The issuer's statement about a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// The issuer's URL, as the ID token has it.
    pub issuer: String,
    /// The user's id at the issuer.
    pub subject: String,
    /// The address that the issuer knows.
    pub email: Email,
    /// Whether the issuer has verified the address. Links by email require this.
    pub email_verified: bool,
    /// By the groups that the issuer states.
    pub role: Role,
}

/// An email address in lower case, for comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Email(String);

impl Email {
    /// `None` if the text is not an address.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_lowercase();
        let (local, domain) = text.rsplit_once('@')?;
        let plain = text.chars().all(|character| !character.is_whitespace() && !character.is_control());
        (plain && !local.is_empty() && !domain.is_empty() && text.len() <= 254).then_some(Self(text))
    }

    /// In lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Email {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A user's id: SHA-256 of issuer and subject, so that different issuers' subjects can't collide.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UserId(String);

impl UserId {
    /// The id of this issuer's user.
    pub fn of(issuer: &str, subject: &str) -> Self {
        Self(sha256_hex(format!("{issuer}\n{subject}").as_bytes()))
    }

    /// `None` unless the text is a SHA-256 in lower-case hexadecimal.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        (text.len() == 64 && text.bytes().all(hex)).then(|| Self(text.to_owned()))
    }

    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A user as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// The table's partition key.
    pub user: UserId,
    /// The user's id at the issuer.
    pub subject: String,
    /// As the issuer stated it at the last sign-in.
    pub email: Email,
    /// The account that the user belongs to.
    pub account: String,
    /// When the user signed in for the first time.
    pub created_at: Timestamp,
    /// Sessions that began before this time are over.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signed_out_at: Option<Timestamp>,
}

/// An administrator's link: users with this address belong to the account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The issuer must have verified it.
    pub email: Email,
    /// Which account, by its id.
    pub account: String,
    /// When the administrator set it.
    pub created_at: Timestamp,
}

/// A session's secret in the browser: 256 random bits.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

impl SessionToken {
    /// A new token from the system's random numbers.
    pub fn generate() -> Self {
        let mut bytes = [0_u8; TOKEN_BYTES];
        rand::rng().fill(&mut bytes[..]);
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// `None` unless the text has the form of our tokens.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == TOKEN_BYTES).then(|| Self(text.to_owned()))
    }

    /// What the session is stored under.
    pub fn id(&self) -> SessionId {
        SessionId(sha256_hex(self.0.as_bytes()))
    }

    /// The token in this session's forms. It is derived from the cookie and does not reveal it.
    pub fn form_token(&self) -> String {
        sha256_hex(format!("form {}", self.0).as_bytes())
    }

    /// The token in plain text: only for the cookie.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionToken(..)")
    }
}

/// SHA-256 of a session's token: the only form that is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A session as stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    /// The table's partition key.
    pub session: SessionId,
    /// Who signed in.
    pub user: UserId,
    /// As the issuer stated it at the sign-in. A change needs another sign-in.
    pub role: Role,
    /// When the user signed in.
    pub began_at: Timestamp,
    /// When the session was last used, to within some minutes.
    pub seen_at: Timestamp,
}

impl Session {
    /// Whether the session is too old, or was unused for too long.
    pub fn is_over_at(&self, now: Timestamp) -> bool {
        now >= self.began_at.plus(SESSION_TIME) || now >= self.seen_at.plus(SESSION_IDLE)
    }

    /// Whether the user has signed out everywhere since.
    pub fn was_ended_by(&self, user: &User) -> bool {
        user.signed_out_at.is_some_and(|moment| self.began_at <= moment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn session() -> Session {
        Session {
            session: SessionToken::generate().id(),
            user: UserId::of("https://issuer.example", "1"),
            role: Role::User,
            began_at: Timestamp(0),
            seen_at: Timestamp(0),
        }
    }

    fn after(duration: Duration) -> Timestamp {
        Timestamp(0).plus(duration)
    }

    #[test]
    fn a_session_ends_when_unused_and_at_its_time_limit() {
        let second = Duration::from_secs(1);
        assert!(!session().is_over_at(after(SESSION_IDLE - second)));
        assert!(session().is_over_at(after(SESSION_IDLE)));
        let busy = Session { seen_at: after(SESSION_TIME - second), ..session() };
        assert!(!busy.is_over_at(after(SESSION_TIME - second)));
        assert!(busy.is_over_at(after(SESSION_TIME)));
    }

    #[test]
    fn signing_out_everywhere_ends_what_began_before() {
        let user = |signed_out_at| User {
            user: UserId::of("i", "s"),
            subject: "s".into(),
            email: Email::parse("a@b.example").unwrap(),
            account: "acc_1".into(),
            created_at: Timestamp(0),
            signed_out_at,
        };
        assert!(!session().was_ended_by(&user(None)));
        assert!(session().was_ended_by(&user(Some(Timestamp(0)))));
        let later = Session { began_at: Timestamp(1), ..session() };
        assert!(!later.was_ended_by(&user(Some(Timestamp(0)))));
    }

    #[test]
    fn tokens_are_long_random_and_never_show_themselves() {
        let token = SessionToken::generate();
        assert_ne!(token, SessionToken::generate());
        assert_eq!(SessionToken::parse(token.reveal()), Some(token.clone()));
        assert_eq!(format!("{token:?}"), "SessionToken(..)");
        assert!(!token.form_token().contains(token.id().as_str()));
    }

    #[test]
    fn a_user_is_issuer_and_subject_together() {
        assert_ne!(UserId::of("https://a.example", "1"), UserId::of("https://b.example", "1"));
        assert_ne!(UserId::of("a", "1"), UserId::of("a", "2"));
        let user = UserId::of("a", "1");
        assert_eq!(UserId::parse(user.as_str()), Some(user));
        for text in ["", "user", &"g".repeat(64), &"A".repeat(64)] {
            assert_eq!(UserId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn addresses_are_compared_in_lower_case() {
        assert_eq!(Email::parse(" Ada@Example.COM "), Email::parse("ada@example.com"));
        for no_address in ["", "ada", "@example.com", "ada@", "a b@example.com", "a\u{0}@example.com"] {
            assert_eq!(Email::parse(no_address), None, "{no_address}");
        }
    }

    proptest! {
        #[test]
        fn nothing_in_a_cookie_makes_the_parser_panic(text in "\\PC*") {
            if let Some(token) = SessionToken::parse(&text) {
                prop_assert_eq!(token.reveal(), text);
            }
        }
    }
}
