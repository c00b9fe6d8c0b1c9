use docmill_client::{Client, Request, Source, Step};
use serde_json::json;

#[tokio::main]
async fn main() -> docmill_client::Result<()> {
    let client = Client::from_env()?;

    // The next job may name this one at once: it waits for the result.
    let report = client.start(Request::new(Source::html("<h1>Report</h1>"))).await?;

    let sources = [Source::markdown("# Cover"), Source::result_of(report.id), Source::html("<h1>Terms</h1>")];
    let handout = Request::several("merge-pdf", sources)
        .then(Step::new("watermark-pdf").options(json!({"text": "Draft"})))
        .then(Step::new("compress-pdf"));
    client.convert(handout, "handout.pdf").await?;
    Ok(())
}
