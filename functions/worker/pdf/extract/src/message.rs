//! What is told about messages that can't be read, or only in part.

use docmill_mail::{Email, Unreadable};
use docmill_pdf_request::{ErrorCode, Failure, Warning};

/// What is told about a message that can't be read.
pub fn unreadable(error: &Unreadable) -> Failure {
    let message = "The message is damaged. Save it again in the program that it comes from, and retry.";
    Failure::new(ErrorCode::CorruptDocument, message, error.to_string())
}

/// What of the message could not be read.
pub fn warnings(email: &Email) -> Vec<Warning> {
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
