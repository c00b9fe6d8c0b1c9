use docmill_client::{Client, JobFilter, TryStreamExt};

#[tokio::main]
async fn main() -> docmill_client::Result<()> {
    let client = Client::from_env()?;
    let mut filter = JobFilter::default();
    filter.metadata.insert("order".to_owned(), "2026-118".to_owned());

    // A job that has not ended is canceled first.
    let mut jobs = client.jobs(&filter)?;
    while let Some(job) = jobs.try_next().await? {
        client.delete(&job.id).await?;
    }
    Ok(())
}
