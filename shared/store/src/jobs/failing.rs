//! Fails many waiting jobs together when the job they wait for has not completed.
//!
//! Timeline: a thousand jobs of an account wait for one that fails. If each had a transaction of its own, all of them would compete
//! for the balance that takes their refunds. Here, a few transactions follow each other, and each refunds many jobs at once.

use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::TransactWriteItem;

use super::ending::PATIENCE;
use super::{Jobs, Written};
use crate::dynamo::{Retries, Transacted, too_contended, transact};
use crate::{StoreError, credits};
use docmill_domain::job::{Job, JobError, Refund};
use docmill_domain::quota::Charge;
use docmill_domain::time::Timestamp;

/// Most jobs in a transaction. Each has two parts, and the refund to each of their tills has two more: 100 in all, at most.
const MOST_AT_ONCE: usize = 25;
const PARTS: usize = 2;

impl Jobs {
    /// `queued → failed` for jobs of one account, with refunds. Returns those that this call has failed. Others had changed since
    /// they were read.
    ///
    /// # Errors
    /// If a job can't be written now. Those before it have failed.
    pub async fn fail_all(&self, jobs: Vec<Job>, error: &JobError, now: Timestamp) -> Result<Vec<Job>, StoreError> {
        // The refunds of different months could meet in one item, which a transaction can't write twice.
        let mut by_period: BTreeMap<_, Vec<Job>> = BTreeMap::new();
        for job in jobs {
            by_period.entry(job.payment.period).or_default().push(job);
        }
        let mut failed = Vec::new();
        for jobs in by_period.into_values() {
            for jobs in jobs.chunks(MOST_AT_ONCE) {
                failed.extend(self.fail_together(jobs.to_vec(), error, now).await?);
            }
        }
        Ok(failed)
    }

    async fn fail_together(
        &self,
        mut jobs: Vec<Job>,
        error: &JobError,
        now: Timestamp,
    ) -> Result<Vec<Job>, StoreError> {
        let (mut failed, mut refunded, mut retries) = (Vec::new(), true, Retries::within(PATIENCE));
        while !jobs.is_empty() {
            let refused = match transact(&self.client, self.failures(&jobs, error, refunded, now)?).await {
                Ok(Transacted::Committed) => {
                    failed.append(&mut jobs);
                    continue;
                }
                Ok(Transacted::Failed(parts)) => {
                    let changed: Vec<_> = parts.into_iter().map(|(part, _)| part / PARTS).collect();
                    // Timeline: an account is removed while its jobs wait. Nobody can get the refund, but the jobs must end.
                    refunded &= changed.iter().any(|index| *index < jobs.len());
                    for index in changed.into_iter().rev().filter(|index| *index < jobs.len()).collect::<Vec<_>>() {
                        let job = jobs.remove(index);
                        if self.own_write_or_superseded(&job, now).await? == Written::Yes {
                            failed.push(job);
                        }
                    }
                    continue;
                }
                Ok(Transacted::Contended(_)) => too_contended(),
                Err(error) => error,
            };
            retries.pause(refused).await?;
        }
        Ok(failed)
    }

    /// The parts of each job, and then the refunds: one to each pot.
    fn failures(
        &self,
        jobs: &[Job],
        error: &JobError,
        refunded: bool,
        now: Timestamp,
    ) -> Result<Vec<TransactWriteItem>, StoreError> {
        let (mut writes, mut refunds) = (Vec::new(), BTreeMap::new());
        for job in jobs {
            writes.extend(self.failure(job, error, None, Refund::Full, now)?);
            let charge: &mut Charge =
                refunds.entry((&job.account, job.payment.period, job.payment.till)).or_insert(Charge::NOTHING);
            charge.included += job.payment.charge.included;
            charge.granted += job.payment.charge.granted;
        }
        for ((account, period, till), charge) in refunds.into_iter().filter(|_| refunded) {
            writes.extend(credits::refund(&self.usage_table, account, period, charge, till)?);
        }
        Ok(writes)
    }
}
