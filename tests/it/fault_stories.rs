//! The stories of the fault matrix: events of a job besides faults, and the calls that it takes.

use docmill::domain::job::JobErrorCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    Inline,
    Stored,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credits {
    Included,
    Granted,
}

/// What happens besides the faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twist {
    None,
    /// The first message is never delivered.
    MessageLost,
    /// Two workers get the first message at the same time.
    Duplicate,
    /// The first worker hangs in the engine until its lease has ended and another one has finished the job.
    LateAfterTheEnd,
    /// The same, but it continues after the job was released and before it is claimed again.
    LateBeforeTheNext,
}

/// The engine's behaviour in every attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EngineRole {
    Convert,
    Fail(JobErrorCode),
    /// Fails once, then converts.
    FailOnce(JobErrorCode),
    PanicOnce,
    Panic,
}

#[derive(Clone, Debug)]
pub struct Story {
    pub name: &'static str,
    pub engine: EngineRole,
    pub payload: Payload,
    pub credits: Credits,
    pub twist: Twist,
    /// `None` means that the job completes.
    pub failure: Option<JobErrorCode>,
    /// Calls of client, worker and sweeper without faults. Only the sweeper's first query is listed.
    pub calls: [&'static str; 3],
}

const CREATE: &str = "UpdateItem TransactWriteItems SendMessage";
const CREATE_STORED: &str = "UpdateItem PutObject TransactWriteItems SendMessage";
/// The sweeper counts a completed job that used an included credit, and expires it a day later.
const EXPIRE: &str = "Query BatchGetItem GetItem TransactWriteItems BatchGetItem DeleteObjects UpdateItem";
/// The same with a granted credit.
const EXPIRE_GRANTED: &str = "Query BatchGetItem TransactWriteItems BatchGetItem DeleteObjects UpdateItem";
/// The sweeper counts a failed job.
const COUNT: &str = "Query BatchGetItem TransactWriteItems";
/// The sweeper releases a lease and counts the creation, then counts the end and expires the output.
const RELEASE: &str = "Query BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems BatchGetItem GetItem \
     TransactWriteItems BatchGetItem DeleteObjects UpdateItem";
const RELEASE_GRANTED: &str = "Query BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems BatchGetItem \
     TransactWriteItems BatchGetItem DeleteObjects UpdateItem";

pub fn stories() -> Vec<Story> {
    use {Credits::*, EngineRole::*, JobErrorCode as Code, Payload::*};
    let story = |name, engine, payload, credits, twist, failure, calls| Story {
        name,
        engine,
        payload,
        credits,
        twist,
        failure,
        calls,
    };
    // The first read is for the account's fonts, the last for waiting jobs.
    let completed = "UpdateItem GetItem PutObject TransactWriteItems GetItem";
    let completed_stored = "UpdateItem GetObject GetItem PutObject TransactWriteItems DeleteObject GetItem";
    vec![
        story("completed", Convert, Inline, Included, Twist::None, None, [CREATE, completed, EXPIRE]),
        story("stored", Convert, Stored, Granted, Twist::None, None, [CREATE_STORED, completed_stored, EXPIRE_GRANTED]),
        story(
            "document's fault",
            Fail(Code::CorruptDocument),
            Stored,
            Included,
            Twist::None,
            Some(Code::CorruptDocument),
            [CREATE_STORED, "UpdateItem GetObject GetItem TransactWriteItems DeleteObject GetItem", COUNT],
        ),
        story(
            "our fault",
            Fail(Code::Internal),
            Inline,
            Granted,
            Twist::None,
            Some(Code::Internal),
            [
                CREATE,
                "UpdateItem GetItem UpdateItem ChangeMessageVisibility UpdateItem GetItem UpdateItem \
                 ChangeMessageVisibility UpdateItem GetItem TransactWriteItems GetItem",
                COUNT,
            ],
        ),
        story(
            "died once",
            PanicOnce,
            Inline,
            Included,
            Twist::None,
            None,
            [CREATE, "UpdateItem GetItem UpdateItem GetItem PutObject TransactWriteItems GetItem UpdateItem", RELEASE],
        ),
        story(
            "always dies",
            Panic,
            Stored,
            Included,
            Twist::None,
            Some(Code::Internal),
            [
                CREATE_STORED,
                "UpdateItem GetObject GetItem UpdateItem GetObject GetItem UpdateItem GetObject GetItem UpdateItem \
                 UpdateItem UpdateItem",
                "Query BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems BatchGetItem UpdateItem \
                 SendMessage BatchGetItem TransactWriteItems DeleteObject GetItem BatchGetItem TransactWriteItems",
            ],
        ),
        story(
            "message lost",
            Convert,
            Inline,
            Granted,
            Twist::MessageLost,
            None,
            [
                CREATE,
                completed,
                "Query GetQueueAttributes BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems \
                 BatchGetItem TransactWriteItems BatchGetItem DeleteObjects UpdateItem",
            ],
        ),
        story(
            "duplicate",
            Convert,
            Inline,
            Included,
            Twist::Duplicate,
            None,
            [CREATE, "UpdateItem UpdateItem GetItem PutObject TransactWriteItems GetItem", EXPIRE],
        ),
        story(
            "late",
            Convert,
            Stored,
            Granted,
            Twist::LateAfterTheEnd,
            None,
            [
                CREATE_STORED,
                "UpdateItem GetObject GetItem UpdateItem GetObject GetItem PutObject TransactWriteItems DeleteObject \
                 GetItem PutObject TransactWriteItems GetItem",
                RELEASE_GRANTED,
            ],
        ),
        story(
            "late failure",
            FailOnce(Code::SourceTimeout),
            Stored,
            Included,
            Twist::LateBeforeTheNext,
            None,
            [
                CREATE_STORED,
                "UpdateItem GetObject GetItem TransactWriteItems GetItem UpdateItem GetObject GetItem PutObject \
                 TransactWriteItems DeleteObject GetItem",
                RELEASE,
            ],
        ),
    ]
}
