//! Converts a document with the client that progenitor makes: `convert SOURCE_URL TARGET`. Prints the job's id.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::time::Duration;

use docmill_client::Client;
use docmill_client::types::{
    JobStatus, Labels, LabelsValue, OfficeToPdfJob, OfficeToPdfJobToolSlug, OfficeToPdfOptions,
    OfficeToPdfOptionsPageRange, SourceUrl,
};
use reqwest::header::{AUTHORIZATION, HeaderMap};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().collect();
    let [_, source, target] = arguments.as_slice() else { return Err("usage: convert SOURCE_URL TARGET".into()) };
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, format!("Bearer {}", env::var("DOCMILL_LIVE_KEY")?).parse()?);
    let http = reqwest::Client::builder().default_headers(headers).timeout(Duration::from_secs(60)).build()?;
    let client = Client::new_with_client(&env::var("DOCMILL_URL")?, http);

    let pages = OfficeToPdfOptionsPageRange::try_from("1")?;
    let options: OfficeToPdfOptions = OfficeToPdfOptions::builder().page_range(Some(pages)).try_into()?;
    let labels = Labels(HashMap::from([("client".to_owned(), LabelsValue::try_from("progenitor")?)]));
    let request: OfficeToPdfJob = OfficeToPdfJob::builder()
        .tool_slug(OfficeToPdfJobToolSlug::OfficeToPdf)
        .source_url(Some(SourceUrl::try_from(source.as_str())?))
        .options(Some(options))
        .metadata(Some(labels))
        .try_into()?;
    let mut job = client.create_job().body(request).send().await?.into_inner().job;
    while job.finished_at.is_none() {
        job = client.get_job().job_id(job.id).wait(25_u64).send().await?.into_inner().job;
    }
    if job.status != JobStatus::Completed {
        return Err(format!("the job is {}", job.status).into());
    }
    let download = client.get_job_download().job_id(job.id).send().await?.into_inner().download;
    let link = download.ok_or("there is no download")?.url;
    let document = reqwest::get(link).await?.error_for_status()?.bytes().await?;
    std::fs::write(target, document)?;
    println!("{}", job.id);
    Ok(())
}
