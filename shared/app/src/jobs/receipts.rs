//! Receipts of ended jobs, signed.

use std::sync::Arc;

use docmill_domain::job::Job;
use docmill_domain::time::Timestamp;
use docmill_signing::receipt::ReceiptKeys;
use docmill_signing::seal::BadSetting;
use serde_json::{Value, json};

use super::{LookupError, own_job};
use crate::caller::Caller;
use crate::context::Context;
use crate::fault::{Fault, with_faults};

/// Why there is no receipt.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// The account has no such job.
    #[error("there is no such job")]
    NotFound,
    /// Only an ended job has one. With the job as its owner reads it.
    #[error("the job has not ended")]
    NotEnded(Value),
    /// Something of the service failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(ReceiptError);

impl From<LookupError> for ReceiptError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NotFound => Self::NotFound,
            LookupError::Fault(fault) => Self::Fault(fault),
        }
    }
}

/// What making receipts needs.
#[derive(Debug)]
pub struct Receipts {
    /// The stores.
    pub context: Arc<Context>,
    /// What signs.
    pub keys: ReceiptKeys,
}

impl Receipts {
    /// With the keys of the function's configuration.
    ///
    /// # Errors
    /// If a key is missing or not valid.
    pub fn of_function(context: impl Into<Arc<Context>>) -> Result<Self, BadSetting> {
        Ok(Self { context: context.into(), keys: ReceiptKeys::of_function()? })
    }

    /// The receipt of the caller's job.
    ///
    /// # Errors
    /// If there is no such job, it has not ended, or the table does not answer.
    pub async fn receipt(&self, caller: &Caller, id: &str) -> Result<Value, ReceiptError> {
        let job = own_job(&self.context.jobs, caller, id).await?;
        signed(&self.keys, &job, caller.now)
    }
}

/// The receipt of a job that was read already.
///
/// # Errors
/// If it has not ended.
pub fn signed(keys: &ReceiptKeys, job: &Job, now: Timestamp) -> Result<Value, ReceiptError> {
    let statement = job.statement(now).ok_or_else(|| ReceiptError::NotEnded(json!(job.view(now))))?;
    // Only a number beyond 2^53 has no canonical form.
    Ok(keys.sign(json!(statement)).map_err(Fault::internal)?)
}
