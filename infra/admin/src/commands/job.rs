//! Jobs, as their owners see them and as the service keeps them. No secret is shown.

use clap::Subcommand;
use docmill::clock;
use docmill::context::Context;
use docmill::domain::job::JobId;
use serde_json::json;

use crate::output::{Failure, Output, refuse};

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a job, with what only operators see: account, lease, and when the sweeper looks at it.
    Show { id: String },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    let Command::Show { id } = command;
    let Some(parsed) = JobId::parse(&id) else { return refuse(format!("{id} is no job id")) };
    let Some(job) = context.jobs.get(parsed).await? else { return refuse(format!("there is no job {id}")) };
    let mut view = job.view(clock::now());
    view["operator"] = json!({
        "account": job.account,
        "keyId": job.key_id,
        "period": job.period,
        "charge": job.charge,
        "leaseUntil": job.lease_until.map(|time| time.to_string()),
        "sweeperDue": job.due.map(|time| time.to_string()),
        "outputKey": job.output_key,
    });
    Ok(Output::new("job", view))
}
