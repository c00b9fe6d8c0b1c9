//! Why a request is refused.

use docmill_domain::breach::Breach;
use docmill_domain::offer::Contact;

use crate::fault::{Fault, with_faults};
use crate::tools::ToolError;

/// Why no job is created.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// No tool has this name. With the name that was probably meant.
    #[error("there is no such tool")]
    UnknownTool(Option<String>),
    /// The tool is not enabled for the key or its plan.
    #[error("the caller may not use this tool")]
    ToolNotAllowed,
    /// Administrators have stopped it for now.
    #[error("the tool is in maintenance")]
    ToolInMaintenance,
    /// The request is wrong in these places.
    #[error("the request is invalid")]
    Invalid(Vec<Breach>),
    /// The account has too few credits.
    #[error("{required} credits are needed, and there are {available}")]
    InsufficientCredits {
        /// What the job would cost.
        required: u64,
        /// What is left.
        available: u64,
        /// Where to ask for more credits.
        contact: Option<Contact>,
    },
    /// The account has had all test jobs of the day. The next day begins after so many seconds.
    #[error("today's test jobs are used up")]
    TestJobsUsedUp {
        /// Until the next day begins.
        seconds: u64,
    },
    /// The uploads of the account's day would have more than `most` bytes. The next day begins after so many seconds.
    #[error("today's uploads would exceed {most} bytes")]
    UploadsUsedUp {
        /// The limit in bytes.
        most: u64,
        /// Until the next day begins.
        seconds: u64,
    },
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    KeyReused,
    /// The batch that the job would belong to takes no more jobs, or another run has it.
    #[error("the batch has ended")]
    BatchEnded,
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(SubmitError);

impl From<ToolError> for SubmitError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Unknown(meant) => Self::UnknownTool(meant),
            ToolError::NotAllowed => Self::ToolNotAllowed,
        }
    }
}
