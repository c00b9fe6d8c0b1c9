//! The forms that create and change an endpoint.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use docmill_domain::event::EventKind;
use docmill_domain::webhook::destination::external_id;
use docmill_domain::webhook::{Arn, Endpoint, EndpointView, Signatures};
use docmill_http::error::ApiError;
use docmill_look::code::{copyable, copyable_code};
use docmill_look::highlight::Syntax;
use docmill_site::error::PageError;
use docmill_site::flash::Flash;
use docmill_site::form::{self, FormData, FormErrors, checkbox, input, select, text};
use docmill_site::layout::Page;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::{PATH, as_user, crumbs, own, service};

/// Names of the form's fields, which are those of the API's body.
const FIELDS: [&str; 7] = ["url", "roleArn", "events", "description", "rateLimit", "signature", "challenge"];

pub(super) async fn ask_to_create(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Response {
    let data = FormData::of(&[("signature", Signatures::Both.as_str())]);
    let form = Form { account: &user.account, data: &data, errors: &FormErrors::default() };
    new_page(&state, &viewer, &form, StatusCode::OK)
}

pub(super) async fn create(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    data: FormData,
) -> Result<Response, PageError> {
    let (service, body) = (service(&state)?, body(&data));
    match as_user(&state, &user, async |caller| service.create(&caller, &body).await).await {
        Ok(created) => {
            let content = shown_once(&state, "Your new endpoint", &created);
            Ok(Page::new("Your new endpoint", content).status(StatusCode::CREATED).respond(&state, &viewer))
        }
        Err(error) => {
            let form = Form { account: &user.account, data: &data, errors: &refused(error, &data)? };
            Ok(new_page(&state, &viewer, &form, StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

pub(super) async fn ask_to_change(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    let endpoint = own(&state, &user, &id).await?;
    let form = Form { account: &user.account, data: &as_form(&endpoint), errors: &FormErrors::default() };
    Ok(edit_page(&state, &viewer, &endpoint, &form, StatusCode::OK))
}

pub(super) async fn change(
    State(state): State<AppState>,
    viewer: Viewer,
    user: SignedIn,
    Path(id): Path<String>,
    data: FormData,
) -> Result<Response, PageError> {
    let endpoint = own(&state, &user, &id).await?;
    let (service, body) = (service(&state)?, body(&data));
    match as_user(&state, &user, async |caller| service.change(&caller, &id, &body).await).await {
        Ok(_) => Ok(Flash::success("The endpoint was changed.").on(&state, &format!("{PATH}/{id}"))),
        Err(error) => {
            let form = Form { account: &user.account, data: &data, errors: &refused(error, &data)? };
            Ok(edit_page(&state, &viewer, &endpoint, &form, StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}

/// The page that shows a secret, once.
pub(super) fn shown_once(state: &AppState, title: &str, webhook: &EndpointView) -> Markup {
    html! {
        header.page-head {
            h1 { (title) }
            p.lead { "Copy the signing secret now. It is stored encrypted, and we cannot show it again." }
        }
        section.card aria-labelledby="secret-name" {
            h2 #secret-name { "Signing secret" }
            (copyable("secret", webhook.secret.as_deref().unwrap_or_default()))
            p.muted { "Your receiver verifies requests with it: see the guide " a href=(state.link("/docs/webhooks")) { "Webhooks" } "." }
            p.actions { a.button.primary href=(state.link(&format!("{PATH}/{}", webhook.id.as_str()))) { "I have copied it" } }
        }
    }
}

/// The API's body for a form.
fn body(data: &FormData) -> Map<String, Value> {
    let mut body = Map::new();
    match destination(data.get("url"), data.get("roleArn")) {
        Some(destination) => body.insert("destination".into(), destination),
        None => body.insert("url".into(), json!(data.get("url"))),
    };
    body.insert("description".into(), json!(data.get("description")));
    body.insert("signature".into(), json!(data.get("signature")));
    body.insert("challenge".into(), json!(data.is_on("challenge")));
    let limit = match data.get("rateLimit") {
        "" => Value::Null,
        text => text.parse::<u64>().map_or_else(|_| json!(text), |limit| json!(limit)),
    };
    body.insert("rateLimit".into(), limit);
    let kinds = data.all("events");
    body.insert("events".into(), if kinds.is_empty() { Value::Null } else { json!(kinds) });
    body
}

/// The API's `destination` for the ARN of a queue or a bus. `None`: the address is a URL.
fn destination(address: &str, role: &str) -> Option<Value> {
    let service = address.strip_prefix("arn:")?.split(':').nth(1);
    Some(match service {
        Some("events") => json!({"type": "eventbridge", "busArn": address, "roleArn": role}),
        Some(_) | None => json!({"type": "sqs", "queueArn": address, "roleArn": role}),
    })
}

fn as_form(endpoint: &Endpoint) -> FormData {
    let rate = endpoint.rate_limit.map(|rate| rate.to_string()).unwrap_or_default();
    let mut pairs = vec![
        ("url", endpoint.destination.address()),
        ("roleArn", endpoint.destination.role().map_or("", Arn::as_str)),
        ("description", endpoint.description.as_str()),
        ("rateLimit", rate.as_str()),
        ("signature", endpoint.signatures.as_str()),
    ];
    pairs.extend(endpoint.challenge.then_some(("challenge", "on")));
    pairs.extend(endpoint.kinds.iter().map(|kind| ("events", kind.as_str())));
    FormData::of(&pairs)
}

/// The errors of the fields. An error of the service is its own page.
fn refused(error: ApiError, data: &FormData) -> Result<FormErrors, PageError> {
    if error.code.status().is_server_error() {
        return Err(error.into());
    }
    let mut errors = FormErrors::default();
    for breach in &error.details {
        // The form has a field for each part of it.
        if breach.path == "/destination" {
            match Arn::of_role(data.get("roleArn")) {
                Some(_) => {
                    errors.add("url", "Must be an HTTPS address, or the ARN of an SQS queue or an EventBridge bus.")
                }
                None => {
                    errors.add("roleArn", "Must be the ARN of a role, such as arn:aws:iam::111122223333:role/docmill.")
                }
            }
            continue;
        }
        let field = FIELDS.iter().find(|field| breach.path.strip_prefix('/') == Some(**field));
        errors.add(field.copied().unwrap_or("url"), crate::pages::webhooks::sentence(&breach.message));
    }
    if errors.is_empty() {
        errors.add("url", error.message);
    }
    Ok(errors)
}

/// What a form shows.
struct Form<'a> {
    account: &'a str,
    data: &'a FormData,
    errors: &'a FormErrors,
}

fn new_page(state: &AppState, viewer: &Viewer, form: &Form<'_>, status: StatusCode) -> Response {
    let content = html! {
        (crumbs(state))
        header.page-head { h1 { "Add an endpoint" } }
        (form::form(state, viewer, PATH, fields(state, form, "Add endpoint")))
    };
    Page::new("Add an endpoint", content).status(status).respond(state, viewer)
}

fn edit_page(state: &AppState, viewer: &Viewer, endpoint: &Endpoint, form: &Form<'_>, status: StatusCode) -> Response {
    let path = format!("{PATH}/{}/edit", endpoint.id);
    let content = html! {
        (crumbs(state))
        header.page-head { h1 { "Change " (super::name(endpoint)) } }
        (form::form(state, viewer, &path, fields(state, form, "Save")))
    };
    Page::new("Change an endpoint", content).status(status).respond(state, viewer)
}

fn fields(state: &AppState, form: &Form<'_>, button: &str) -> Markup {
    let Form { data, errors, .. } = form;
    let choices = vec![
        ("both", "Both: your secret and our public key"),
        ("v1", "v1: your secret (HMAC-SHA256)"),
        ("v1a", "v1a: our public key (Ed25519)"),
    ];
    html! {
        (text("url", "URL or ARN").value(data.get("url")).error(errors.of("url")).required()
            .hint("An HTTPS address that gets POST requests, or the ARN of an SQS queue or an EventBridge bus of yours.")
            .with("maxlength", 2048).with("spellcheck", "false"))
        (of_aws(state, form))
        (text("description", "Name").value(data.get("description")).error(errors.of("description")).with("maxlength", 255))
        fieldset.field aria-describedby="events-hint" {
            legend { "Events " span.optional { "optional" } }
            @for kind in EventKind::ALL.map(EventKind::as_str) {
                div.field.check {
                    input type="checkbox" id={ "event-" (kind) } name="events" value=(kind) checked[data.all("events").contains(&kind)];
                    label for={ "event-" (kind) } { code { (kind) } }
                }
            }
            p.hint #events-hint { "If you choose none, all are sent." }
            @if let Some(error) = errors.of("events") { p.error { (error) } }
        }
        (select("signature", "Signatures", choices).value(data.get("signature")).error(errors.of("signature")).required())
        (input("number", "rateLimit", "Requests per second").value(data.get("rateLimit")).error(errors.of("rateLimit"))
            .hint("The most that your receiver takes. Empty: no limit.").with("min", 1).with("max", 1000))
        (checkbox("challenge", "Challenge new URLs").checked(data.is_on("challenge"))
            .hint("Before a URL gets events, it must answer a request with the value in it."))
        div.actions { button.button.primary type="submit" { (button) } }
    }
}

/// What a queue or a bus needs: a role that trusts the service for this account.
fn of_aws(state: &AppState, form: &Form<'_>) -> Markup {
    let (data, error) = (form.data, form.errors.of("roleArn"));
    let policy = trust_policy(&state.config.delivery_role, &external_id(form.account));
    html! {
        details.options open[error.is_some() || !data.get("roleArn").is_empty()] {
            summary { "For a queue or a bus" }
            p { "Create a role in your AWS account. Allow it " code { "sqs:SendMessage" } " on the queue or " code { "events:PutEvents" }
                " on the bus, and give it this trust policy. Its external id belongs to your account here: see the guide "
                a href=(state.link("/docs/webhooks#queues-and-event-buses")) { "Webhooks" } "." }
            (copyable_code("trust-policy", Syntax::Json, &format!("{policy:#}")))
            (text("roleArn", "Role").value(data.get("roleArn")).error(error)
                .hint("The ARN of the role.").with("maxlength", 2048).with("spellcheck", "false"))
        }
    }
}

/// Lets the service assume a role, but only for one account.
fn trust_policy(service: &str, external_id: &str) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow",
            "Principal": {"AWS": service},
            "Action": "sts:AssumeRole",
            "Condition": {"StringEquals": {"sts:ExternalId": external_id}},
        }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::breach::Breach;

    #[test]
    fn a_trust_policy_names_the_service_and_the_accounts_external_id() {
        let (service, id) = ("arn:aws:iam::111122223333:role/deliverer", external_id("acc_1"));
        let statement = &trust_policy(service, &id)["Statement"][0];
        assert_eq!((&statement["Effect"], &statement["Action"]), (&json!("Allow"), &json!("sts:AssumeRole")));
        assert_eq!(statement["Principal"], json!({"AWS": service}));
        assert_eq!(statement["Condition"], json!({"StringEquals": {"sts:ExternalId": id}}));
    }

    #[test]
    fn an_invalid_destination_is_an_error_of_the_role_or_of_the_address() {
        let queue = "arn:aws:sqs:eu-central-1:111122223333:events";
        for (address, role, field, other) in [
            (queue, "", "roleArn", "url"),
            (queue, queue, "roleArn", "url"),
            (
                "arn:aws:sns:eu-central-1:111122223333:events",
                "arn:aws:iam::111122223333:role/docmill",
                "url",
                "roleArn",
            ),
        ] {
            let data = FormData::of(&[("url", address), ("roleArn", role)]);
            let error = ApiError::validation(vec![Breach::new("/destination", "must be …")]);
            let errors = refused(error, &data).unwrap();
            assert!(errors.of(field).is_some_and(|message| message.contains("ARN")), "{address} {role}");
            assert_eq!(errors.of(other), None, "{address} {role}");
        }
    }
}
