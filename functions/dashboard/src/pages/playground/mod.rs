//! The playground: a document, options from the tool's schema, and the result next to them.
//!
//! Jobs are created like those of the API, with the account's hidden key. Everything except uploads works without scripts;
//! `playground.js` adds uploads and live progress.

pub mod body;
pub mod code;
pub mod controls;
pub mod data_form;
pub mod documents;
pub mod form;
pub mod messages;
pub mod options;
pub mod panel;
pub mod preview;
pub mod repeat;
mod shown;
pub mod steps;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use docmill_app::jobs::submit::{Asked, ToolChoice};
use docmill_config::clock;
use docmill_domain::api_key::Mode;
use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::idempotency::IdempotencyKey;
use docmill_domain::job::{Job, JobStatus};
use docmill_domain::request::UnknownNames;
use docmill_domain::template::TemplateName;
use docmill_http::error::ApiError;
use docmill_site::error::PageError;
use docmill_site::form::{FormData, button_form};
use docmill_site::layout::{Page, fragment};
use docmill_site::parts::bytes;
use docmill_site::security::Policy;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use docmill_store::jobs::JobFilter;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::data_form::Subject;
use self::messages::Messages;
use self::options::{Source, sources};
use self::panel::Links;
use self::preview::Preview;
use self::shown::{Own, Shown};
use crate::pages::{fonts, jobs, templates};

const PATH: &str = "/app/playground";
/// Results to choose from as sources.
const RECENT: usize = 20;
const SCRIPTS: [&str; 2] = ["requests.js", "playground.js"];

pub fn routes() -> Router<AppState> {
    Router::new()
        .route(PATH, get(show).post(convert))
        .route("/app/playground/form", post(form_again))
        .route("/app/playground/code", post(code_tabs))
        .route("/app/playground/check", post(check))
        .route("/app/playground/data", post(data_again))
        .route("/app/playground/uploads", post(announce))
        .route("/app/playground/jobs/{id}", get(progress))
        .route("/app/playground/jobs/{id}/cancel", post(cancel))
}

#[derive(Debug, Default, Deserialize)]
struct Wanted {
    tool: Option<String>,
    /// The job to continue with after a reload or later.
    job: Option<String>,
    /// A stored template to fill in.
    template: Option<String>,
}

async fn show(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Query(wanted): Query<Wanted>,
) -> Result<Response, PageError> {
    let job = match &wanted.job {
        Some(id) => Some(own_job(&state, &user, id).await?),
        None => None,
    };
    let tools = usable(&state, &viewer, &user);
    let slug = job.as_ref().map(|job| job.tool.as_str()).or(wanted.tool.as_deref());
    let Some(tool) = slug.and_then(|slug| find(&tools, slug)).or(tools.first().copied()) else {
        return Ok(Page::new("Playground", form::without_tools()).respond(&state, &viewer));
    };
    let catalogue = &state.context.catalogue;
    let repeated = job.as_ref().map(|job| repeat::form_of(catalogue, &tool.definition, job));
    let (data, messages) = match (repeated, &wanted.template) {
        (Some(repeated), _) => repeated,
        (None, Some(name)) => (with_template(&state, &user, tool, name).await?, Messages::default()),
        (None, None) => Default::default(),
    };
    // The script asks for recent results when they are wanted.
    let own = Own { jobs: Vec::new(), templates: stored(&state, &user, tool).await? };
    let shown = Shown { state: &state, viewer: &viewer, tools, tool, data: &data, messages, own };
    respond(&shown, job.as_ref(), StatusCode::OK).await
}

/// The latest jobs with results, and the stored templates.
async fn own(state: &AppState, user: &SignedIn, tool: &Tool) -> Result<Own, PageError> {
    let filter = JobFilter { status: Some(JobStatus::Completed), ..JobFilter::default() };
    let jobs = state.context.jobs.of_account(&user.account, &filter, None, RECENT, clock::now()).await?.jobs;
    Ok(Own { jobs, templates: stored(state, user, tool).await? })
}

/// The names of the account's templates, if the tool takes them.
async fn stored(state: &AppState, user: &SignedIn, tool: &Tool) -> Result<Vec<TemplateName>, PageError> {
    if !sources(&tool.definition).contains(&Source::Stored) {
        return Ok(Vec::new());
    }
    Ok(templates::read(state, &user.account).await?.into_iter().map(|(name, _)| name).collect())
}

/// A form with this stored template, and fields for the data that it expects.
async fn with_template(state: &AppState, user: &SignedIn, tool: &Tool, name: &str) -> Result<FormData, PageError> {
    let property = Source::Stored;
    let form =
        FormData::of(&[("tool", &tool.definition.slug), ("source", property.as_str()), (property.as_str(), name)]);
    let (_, _, newest) = templates::expected(state, user, name).await?;
    Ok(data_form::Report::of_stored(&json!(newest))
        .map_or_else(|| form.clone(), |report| report.form(&tool.definition, &form)))
}

/// The form with these values: after a change that others depend on, or after signing in again.
async fn form_again(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    data: FormData,
) -> Result<Response, PageError> {
    let form = sent(&state, &viewer, &user, &data)?;
    let shown = Shown { own: own(&state, &user, form.tool).await?, ..form };
    Ok(fragment(form::fields(&shown)))
}

/// The form as it was sent, without messages and what the account has.
fn sent<'a>(
    state: &'a AppState,
    viewer: &'a Viewer,
    user: &SignedIn,
    data: &'a FormData,
) -> Result<Shown<'a>, PageError> {
    let tools = usable(state, viewer, user);
    let tool = find(&tools, data.get("tool")).ok_or(PageError::NotFound)?;
    Ok(Shown { state, viewer, tools, tool, data, messages: Messages::default(), own: Own::default() })
}

/// Creates the form's job. Scripts get a part of the page; plain forms are redirected to the job.
async fn convert(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    headers: HeaderMap,
    data: FormData,
) -> Result<Response, PageError> {
    let form = sent(&state, &viewer, &user, &data)?;
    let by_script = headers.contains_key("hx-request");
    if data.has("show") {
        // Without scripts, this shows the options of the chosen steps.
        let shown = Shown { own: own(&state, &user, form.tool).await?, ..form };
        return respond(&shown, None, StatusCode::OK).await;
    }
    let messages = match submit(&state, &user, form.tool, &data).await {
        Ok(id) if by_script => {
            let job = own_job(&state, &user, &id).await?;
            return Ok(fragment(panel::show(&job, clock::now(), &links(&state, &viewer, &job).await?)));
        }
        Ok(id) => return Ok(state.redirect(&format!("{PATH}?job={id}"))),
        Err(messages) => messages,
    };
    let shown = Shown { messages, own: own(&state, &user, form.tool).await?, ..form };
    if by_script {
        // The script recognises the form by the status.
        return Ok((StatusCode::UNPROCESSABLE_ENTITY, fragment(form::fields(&shown))).into_response());
    }
    respond(&shown, None, StatusCode::UNPROCESSABLE_ENTITY).await
}

/// Checks the form's template or PDF, without its data and further steps: what the check reports becomes the fields of the data.
/// It is a job in test mode, so that it is free.
async fn check(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    data: FormData,
) -> Result<Response, PageError> {
    let form = sent(&state, &viewer, &user, &data)?;
    let definition = &form.tool.definition;
    let input = body::body(&state.context.catalogue, definition, &data).remove("input").unwrap_or_default();
    let (checker, options) = Subject::of(definition).ok_or(PageError::NotFound)?.check(definition, &data);
    let body = Map::from_iter([("input".to_owned(), input), ("options".to_owned(), Value::Object(options))]);
    let checker = find(&form.tools, checker).ok_or(PageError::NotFound)?;
    match create(&state, &user, checker, &data, &body, (Mode::Test, "check")).await {
        Ok(id) => {
            let job = own_job(&state, &user, &id).await?;
            Ok(fragment(panel::show(&job, clock::now(), &links(&state, &viewer, &job).await?)))
        }
        Err(messages) => {
            let shown = Shown { messages, own: own(&state, &user, form.tool).await?, ..form };
            Ok((StatusCode::UNPROCESSABLE_ENTITY, fragment(form::fields(&shown))).into_response())
        }
    }
}

#[derive(Debug, Deserialize)]
struct DataForm {
    /// The check whose report has the fields. Without one, the option is as in the tool's schema.
    check: Option<String>,
}

/// The form with a field for each value of the document, or without.
async fn data_again(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Query(wanted): Query<DataForm>,
    data: FormData,
) -> Result<Response, PageError> {
    let form = sent(&state, &viewer, &user, &data)?;
    let subject = Subject::of(&form.tool.definition).ok_or(PageError::NotFound)?;
    let report = match &wanted.check {
        Some(check) => {
            let job = own_job(&state, &user, check).await?;
            data_form::Report::of(subject, &state.context.files, &job).await.map_err(unavailable)?
        }
        None => None,
    };
    let (data, fault) = match (&wanted.check, report) {
        (_, Some(report)) => (report.form(&form.tool.definition, &data), report.fault),
        (Some(_), None) => (data.clone(), Some(subject.too_large().to_owned())),
        (None, None) => (data_form::as_option(subject, &form.tool.definition, &data), None),
    };
    let messages = fault.map(|mistakes| Messages::by_form(&mistakes)).unwrap_or_default();
    let shown = Shown { data: &data, messages, own: own(&state, &user, form.tool).await?, ..form };
    Ok(fragment(form::fields(&shown)))
}

async fn submit(state: &AppState, user: &SignedIn, tool: &Tool, data: &FormData) -> Result<String, Messages> {
    let catalogue = &state.context.catalogue;
    let mistakes = json_mistakes(catalogue, tool, data);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let mut body = body::body(catalogue, &tool.definition, data);
    // With options, even if there are none, what is missing is said of the options and not of the request.
    body.entry("options").or_insert_with(|| json!({}));
    create(state, user, tool, data, &body, (mode(data), "playground")).await
}

fn json_mistakes(catalogue: &Catalogue, tool: &Tool, data: &FormData) -> Messages {
    let mut messages = Messages::default();
    messages.of_json(&data_form::controls(&tool.definition, data), data, "");
    for (number, step) in body::steps(catalogue, data).iter().enumerate() {
        if let Some(tool) = step.tool {
            let controls = data_form::controls(&tool.definition, &step.data);
            messages.of_json(&controls, &step.data, &body::step_scope(number));
        }
    }
    messages
}

/// Creates a job of the form, unless this attempt at this `purpose` has one. Returns its id.
async fn create(
    state: &AppState,
    user: &SignedIn,
    tool: &Tool,
    data: &FormData,
    body: &Map<String, Value>,
    (mode, purpose): (Mode, &str),
) -> Result<String, Messages> {
    let catalogue = &state.context.catalogue;
    if body["input"].as_object().is_none_or(Map::is_empty) {
        return Err(Messages::no_source(data.get("source")));
    }
    let key = IdempotencyKey::parse(format!("{purpose}-{}", data.get("attempt")).as_bytes()).ok();
    let choice = ToolChoice::Named(&tool.definition.slug);
    let asked =
        Asked { body, files: &[], choice, key: key.as_ref(), unknown_names: UnknownNames::ByTool, breach: None };
    match state.create_job(&user.account, mode, asked).await {
        Ok(job) => Ok(job.id.to_string()),
        Err(error) => {
            let steps: Vec<_> = body::steps(catalogue, data).into_iter().map(|step| step.tool).collect();
            Err(Messages::by_error(&error, &tool.definition, &steps))
        }
    }
}

fn mode(data: &FormData) -> Mode {
    if data.get("mode") == Mode::Test.as_str() { Mode::Test } else { Mode::Live }
}

/// The code for the current form.
async fn code_tabs(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    data: FormData,
) -> Result<Response, PageError> {
    let tool = sent(&state, &viewer, &user, &data)?.tool;
    Ok(fragment(form::code_tabs(&state, tool, &data)))
}

/// A signed link for the dropped file.
async fn announce(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Json(body): Json<Map<String, Value>>,
) -> Response {
    let mode = if body.get("mode").is_some_and(|mode| mode == Mode::Test.as_str()) { Mode::Test } else { Mode::Live };
    match state.issue_upload(&user.account, mode, &body).await {
        Ok(upload) => Json(json!({"upload": upload})).into_response(),
        Err(error) => {
            let widest = state.context.config.limits.clone();
            let limits = widest.narrowed_by(&viewer.settings.ceilings(&user.own_key()));
            let message = refusal(&error, &body, limits.source_bytes);
            (error.code.status(), Json(json!({"message": message}))).into_response()
        }
    }
}

/// Why a file was refused, in words for the form.
fn refusal(error: &ApiError, body: &Map<String, Value>, most: u64) -> String {
    let limit = bytes(most);
    match error.details.first() {
        Some(breach) if breach.path == "/bytes" && body.get("bytes") == Some(&json!(0)) => {
            format!("This file is empty. Choose one of up to {limit}.")
        }
        Some(breach) if breach.path == "/bytes" => format!("This file is too large. Choose one of up to {limit}."),
        Some(_) => "This file cannot be uploaded. Rename it and try again.".to_owned(),
        None => error.message.clone(),
    }
}

async fn progress(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let job = own_job(&state, &user, &id).await?;
    Ok(fragment(panel::show(&job, clock::now(), &links(&state, &viewer, &job).await?)))
}

/// Shows the job in any case: it may have ended in the meantime.
async fn cancel(
    State(state): State<AppState>,
    user: SignedIn,
    headers: HeaderMap,
    Path(id): Path<String>,
    _data: FormData,
) -> Result<Response, PageError> {
    let job = own_job(&state, &user, &id).await?;
    let by_script = headers.contains_key("hx-request");
    let shown = if by_script { format!("{PATH}/jobs/{}", job.id) } else { format!("{PATH}?job={}", job.id) };
    match state.cancel_job(&user.account, &id).await {
        Err(error) if error.code.status().is_server_error() => Err(PageError::Unavailable(error.message)),
        Ok(_) | Err(_) => Ok(state.redirect(&shown)),
    }
}

async fn own_job(state: &AppState, user: &SignedIn, id: &str) -> Result<Job, PageError> {
    let now = clock::now();
    let job = jobs::own_job(state, user, id, now).await?;
    // The panel lists the files of jobs with few and with many.
    state.context.files.with_results(job, now).await.map_err(unavailable)
}

fn unavailable(error: impl ToString) -> PageError {
    PageError::Unavailable(error.to_string())
}

async fn links(state: &AppState, viewer: &Viewer, job: &Job) -> Result<Links, PageError> {
    let preview = Preview::of(state, job).await.map_err(unavailable)?;
    let page = format!("{PATH}/jobs/{}", job.id);
    Ok(Links {
        cancel: button_form(state, viewer, &format!("{page}/cancel"), "Cancel", "", &[]),
        page: state.link(&page),
        job: state.link(&format!("/app/jobs/{}", job.id)),
        files: jobs::file_list(state, job),
        fonts: state.link(fonts::PATH),
        certificate: jobs::certificate::path_of(job).map(|path| state.link(&path)),
        preview,
    })
}

/// The tools that the account may use now.
fn usable<'a>(state: &'a AppState, viewer: &Viewer, user: &SignedIn) -> Vec<&'a Tool> {
    let plan = viewer.settings.plan(&user.profile.plan);
    let key = user.own_key();
    let is_usable = |tool: &&Tool| viewer.settings.tool(tool).admits(&tool.definition.slug, &plan, &key);
    state.context.catalogue.tools().iter().filter(is_usable).collect()
}

fn find<'a>(tools: &[&'a Tool], slug: &str) -> Option<&'a Tool> {
    tools.iter().copied().find(|tool| tool.definition.slug == slug)
}

async fn respond(shown: &Shown<'_>, job: Option<&Job>, status: StatusCode) -> Result<Response, PageError> {
    let result = match job {
        Some(job) => Some(panel::show(job, clock::now(), &links(shown.state, shown.viewer, job).await?)),
        None => None,
    };
    let bucket = shown.state.context.files.origin().await.map_err(unavailable)?;
    let page = Page::new("Playground", form::page(shown, result)).status(status);
    let page = SCRIPTS.into_iter().fold(page, Page::script);
    let page =
        page.policy(Policy::default().connect(bucket.clone()).image(bucket.clone()).frame(bucket).html_by("docmill"));
    let mut response = page.respond(shown.state, shown.viewer);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}
