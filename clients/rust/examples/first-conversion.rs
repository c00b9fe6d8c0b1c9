use docmill_client::{Client, Request, Source};

#[tokio::main]
async fn main() -> docmill_client::Result<()> {
    let client = Client::from_env()?; // DOCMILL_URL and DOCMILL_KEY
    client.convert(Request::new(Source::file("report.docx")), "report.pdf").await?;
    Ok(())
}
