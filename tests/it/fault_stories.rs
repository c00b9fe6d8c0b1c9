//! The stories of the fault matrix: events of a job besides faults, and the calls that it takes.

use docmill_domain::job::JobErrorCode;

use crate::support::stage::Control;

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
    /// Workers that died hold all of the account's slots when the first message is delivered.
    LaneIsFull,
    /// Two workers get the first message at the same time.
    Duplicate,
    /// The first worker hangs in the engine until its lease has ended and another one has finished the job.
    LateAfterTheEnd,
    /// The same, but it continues after the job was released and before it is claimed again.
    LateBeforeTheNext,
    /// Its owner ends the job while the worker delivers the result.
    EndedDuringDelivery(Control),
    /// The creating transaction commits, its answer is lost, and conflicts make the next one pay from another pot.
    OtherPayment,
}

/// What the server of `putUrl` does, if the job has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    None,
    Taken,
    Refused,
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
    pub delivery: Delivery,
    /// `None` means that the job completes.
    pub failure: Option<JobErrorCode>,
    /// Calls of client, worker and sweeper without faults. Only the sweeper's first query is listed.
    pub calls: [&'static str; 3],
}

const CREATE: &str = "UpdateItem TransactWriteItems SendMessage";
const CREATE_STORED: &str = "UpdateItem PutObject TransactWriteItems SendMessage";
/// The sweeper counts a completed job that used an included credit, and expires it a day later.
const EXPIRE: &str = "Query ListObjectsV2 BatchGetItem GetItem TransactWriteItems ListObjectsV2 BatchGetItem \
     DeleteObjects UpdateItem";
/// The same with a granted credit.
const EXPIRE_GRANTED: &str = "Query ListObjectsV2 BatchGetItem TransactWriteItems ListObjectsV2 BatchGetItem \
     DeleteObjects UpdateItem";
/// The sweeper counts a job that has ended without a result, and deletes what its attempts have stored.
const COUNT: &str =
    "Query ListObjectsV2 BatchGetItem TransactWriteItems BatchGetItem ListObjectsV2 DeleteObjects UpdateItem";
/// The sweeper releases a lease and counts the creation, then counts the end, deletes what other attempts have stored, and expires
/// the output.
const RELEASE: &str = "Query ListObjectsV2 BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems \
     ListObjectsV2 BatchGetItem GetItem TransactWriteItems BatchGetItem ListObjectsV2 UpdateItem \
     ListObjectsV2 BatchGetItem DeleteObjects UpdateItem";
/// The same for a job whose request is stored, and which the sweeper finds in the meantime.
const RELEASE_STORED: &str = "Query ListObjectsV2 BatchGetItem BatchGetItem UpdateItem SendMessage BatchGetItem \
     TransactWriteItems ListObjectsV2 BatchGetItem GetItem TransactWriteItems BatchGetItem ListObjectsV2 UpdateItem \
     ListObjectsV2 BatchGetItem DeleteObjects UpdateItem";
const RELEASE_STORED_GRANTED: &str = "Query ListObjectsV2 BatchGetItem BatchGetItem UpdateItem SendMessage BatchGetItem \
     TransactWriteItems ListObjectsV2 BatchGetItem TransactWriteItems BatchGetItem ListObjectsV2 UpdateItem \
     ListObjectsV2 BatchGetItem DeleteObjects UpdateItem";

pub fn stories() -> Vec<Story> {
    use {Credits::*, EngineRole::*, JobErrorCode as Code, Payload::*};
    let story = |name, engine, payload, credits, twist, failure, calls| Story {
        name,
        engine,
        payload,
        credits,
        twist,
        delivery: Delivery::None,
        failure,
        calls,
    };
    let delivering = |story, delivery| Story { delivery, ..story };
    // A worker reads the job, takes a slot and claims the job; reads the account's fonts; and at last, reads the waiting jobs and
    // gives the slot back.
    let completed = "GetItem UpdateItem UpdateItem GetItem PutObject TransactWriteItems SendMessage GetItem UpdateItem";
    let completed_stored = "GetItem UpdateItem UpdateItem GetObject GetItem PutObject TransactWriteItems DeleteObject SendMessage GetItem \
         UpdateItem";
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
            [
                CREATE_STORED,
                "GetItem UpdateItem UpdateItem GetObject GetItem UpdateItem TransactWriteItems DeleteObject SendMessage GetItem \
                 UpdateItem",
                COUNT,
            ],
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
                "GetItem UpdateItem UpdateItem GetItem UpdateItem ChangeMessageVisibility UpdateItem \
                 GetItem UpdateItem UpdateItem GetItem UpdateItem ChangeMessageVisibility UpdateItem \
                 GetItem UpdateItem UpdateItem GetItem TransactWriteItems SendMessage GetItem UpdateItem",
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
            [
                CREATE,
                "GetItem UpdateItem UpdateItem GetItem GetItem UpdateItem UpdateItem GetItem PutObject \
                 TransactWriteItems SendMessage GetItem UpdateItem GetItem",
                RELEASE,
            ],
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
                "GetItem UpdateItem UpdateItem GetObject GetItem GetItem UpdateItem UpdateItem GetObject GetItem \
                 GetItem UpdateItem UpdateItem GetObject GetItem GetItem GetItem GetItem",
                // Each run also looks whether the stored request is still needed.
                "Query ListObjectsV2 BatchGetItem BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems \
                 ListObjectsV2 BatchGetItem BatchGetItem UpdateItem SendMessage ListObjectsV2 BatchGetItem BatchGetItem \
                 TransactWriteItems DeleteObject SendMessage GetItem ListObjectsV2 BatchGetItem TransactWriteItems BatchGetItem \
                 ListObjectsV2 DeleteObjects UpdateItem",
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
                "Query ListObjectsV2 GetQueueAttributes BatchGetItem UpdateItem SendMessage BatchGetItem TransactWriteItems \
                 ListObjectsV2 BatchGetItem TransactWriteItems ListObjectsV2 BatchGetItem DeleteObjects UpdateItem",
            ],
        ),
        story(
            "duplicate",
            Convert,
            Inline,
            Included,
            Twist::Duplicate,
            None,
            [
                CREATE,
                "GetItem UpdateItem UpdateItem UpdateItem GetItem UpdateItem UpdateItem GetItem PutObject \
                 TransactWriteItems SendMessage GetItem UpdateItem",
                EXPIRE,
            ],
        ),
        story(
            "held back",
            Convert,
            Inline,
            Granted,
            Twist::LaneIsFull,
            None,
            [
                CREATE,
                "GetItem UpdateItem UpdateItem UpdateItem GetItem UpdateItem UpdateItem GetItem PutObject \
                 TransactWriteItems SendMessage GetItem UpdateItem",
                // It looks after the lane: counts the slots, lets the job go, and takes a slot for it once those of the dead are removed.
                "Query GetQueueAttributes ListObjectsV2 BatchGetItem UpdateItem UpdateItem UpdateItem UpdateItem UpdateItem \
                 UpdateItem SendMessage BatchGetItem TransactWriteItems ListObjectsV2 BatchGetItem TransactWriteItems \
                 BatchGetItem ListObjectsV2 DeleteObjects UpdateItem",
            ],
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
                "GetItem UpdateItem UpdateItem GetObject GetItem GetItem UpdateItem UpdateItem GetObject GetItem \
                 PutObject TransactWriteItems DeleteObject SendMessage GetItem UpdateItem PutObject TransactWriteItems GetItem \
                 GetItem DeleteObjects UpdateItem",
                RELEASE_STORED_GRANTED,
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
                "GetItem UpdateItem UpdateItem GetObject GetItem UpdateItem TransactWriteItems GetItem UpdateItem \
                 GetItem UpdateItem UpdateItem GetObject GetItem PutObject TransactWriteItems DeleteObject SendMessage GetItem \
                 UpdateItem",
                RELEASE_STORED,
            ],
        ),
        story(
            "other payment",
            Convert,
            Stored,
            Included,
            Twist::OtherPayment,
            None,
            [
                "UpdateItem PutObject TransactWriteItems TransactWriteItems TransactWriteItems TransactWriteItems GetItem \
                 SendMessage",
                completed_stored,
                EXPIRE,
            ],
        ),
        delivering(
            story(
                "delivered",
                Convert,
                Inline,
                Included,
                Twist::None,
                None,
                [
                    CREATE,
                    "GetItem UpdateItem UpdateItem GetItem PutObject UpdateItem UpdateItem TransactWriteItems SendMessage GetItem UpdateItem",
                    EXPIRE,
                ],
            ),
            Delivery::Taken,
        ),
        delivering(
            story(
                "refused delivery",
                Convert,
                Stored,
                Included,
                Twist::None,
                Some(Code::DeliveryFailed),
                [
                    CREATE_STORED,
                    "GetItem UpdateItem UpdateItem GetObject GetItem PutObject UpdateItem TransactWriteItems DeleteObject SendMessage GetItem GetItem DeleteObjects UpdateItem",
                    COUNT,
                ],
            ),
            Delivery::Refused,
        ),
        delivering(
            story(
                "canceled during delivery",
                Convert,
                Stored,
                Granted,
                Twist::EndedDuringDelivery(Control::Cancel),
                None,
                [
                    "UpdateItem PutObject TransactWriteItems SendMessage UpdateItem GetItem TransactWriteItems \
                     DeleteObject SendMessage GetItem",
                    "GetItem UpdateItem UpdateItem GetObject GetItem PutObject UpdateItem UpdateItem GetItem DeleteObjects UpdateItem",
                    COUNT,
                ],
            ),
            Delivery::Taken,
        ),
        delivering(
            story(
                "deleted during delivery",
                Convert,
                Inline,
                Included,
                Twist::EndedDuringDelivery(Control::Delete),
                None,
                [
                    "UpdateItem TransactWriteItems SendMessage UpdateItem GetItem TransactWriteItems SendMessage GetItem \
                     GetItem ListObjectsV2 DeleteObjects UpdateItem UpdateItem",
                    "GetItem UpdateItem UpdateItem GetItem PutObject UpdateItem UpdateItem GetItem DeleteObjects UpdateItem",
                    COUNT,
                ],
            ),
            Delivery::Taken,
        ),
    ]
}
