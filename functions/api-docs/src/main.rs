use api_docs::book::Book;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(Book::load()?, api_docs::handle).await
}
