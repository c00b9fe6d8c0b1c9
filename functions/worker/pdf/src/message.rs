//! What is told about messages that can't be read, or only in part.

use docmill_mail::{Email, Unreadable};

use crate::{ErrorCode, Failure, Warning};

impl From<Unreadable> for Failure {
    fn from(error: Unreadable) -> Self {
        let message = "The message is damaged. Save it again in the program that it comes from, and retry.";
        Self::new(ErrorCode::CorruptDocument, message, error.to_string())
    }
}

/// What of the message could not be read.
pub(crate) fn warnings(email: &Email) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if email.is_damaged {
        let message = "The message is damaged, and parts of it could not be read. Save it again in your mail program.";
        warnings.push(Warning::new("message_damaged", message));
    }
    if email.is_enclosed {
        let message = "The text is in an encrypted or signed envelope, which is only listed. Save the message without it in your mail program.";
        warnings.push(Warning::new("message_encrypted", message));
    }
    warnings
}
