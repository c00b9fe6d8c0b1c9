use api_docs::book::Book;
use docmill::http::serve::serve;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(Book::load()?, api_docs::handle).await
}
