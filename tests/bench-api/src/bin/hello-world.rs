//! The smallest possible function: shows the cost of `lambda_runtime` itself in the same table.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    lambda_runtime::run(service_fn(|_event: LambdaEvent<Value>| async { Ok::<_, Error>("hello") })).await
}
