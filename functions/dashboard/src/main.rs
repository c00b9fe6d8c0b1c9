use std::sync::Arc;

use docmill_app::context::Context;
use docmill_site::config::DashboardConfig;
use docmill_site::state::AppState;
use docmill_telemetry as telemetry;
use docmill_telemetry::start::{Part, started};
use lambda_http::{Error, Request, RequestExt, service_fn};
use tokio::sync::OnceCell;
use tower::ServiceExt;

/// Settings that depend on the API come with each request, as variables of its stage. In the function's environment they would be
/// a circular dependency, since the API refers to the function. So the start is completed by the first request.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Arc::new(Context::of_function()?);
    let router = OnceCell::new();
    started(Part::Dashboard);
    lambda_http::run(service_fn(|request: Request| async {
        let variables = request.stage_variables();
        let router = router
            .get_or_try_init(|| async {
                let setting =
                    |name: &str| variables.first(name).map(str::to_owned).or_else(|| std::env::var(name).ok());
                let config = DashboardConfig::from_lookup(setting)?;
                Ok::<_, Error>(dashboard::router(AppState::new(context.clone(), config)?))
            })
            .await?;
        Ok::<_, Error>(router.clone().oneshot(request).await?)
    }))
    .await
}
