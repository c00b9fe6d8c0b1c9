//! A request for each function as the gateway sends it, and the expected response.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::Problem;
use crate::world::World;

/// Larger than the limit for payloads in a job's item.
const LARGE_HTML_BYTES: usize = 100_000;

/// A function with one kind of event.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    /// The binary's path, from the folder of binaries.
    pub binary: &'static str,
    event: Event,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// Any event, with a response that is not HTTP: a text or nothing.
    Plain {
        answer: Option<&'static str>,
    },
    Http {
        route: &'static str,
        status: u16,
        body: Option<Body>,
        check: Check,
    },
}

#[derive(Clone, Copy, Debug)]
enum Body {
    Office,
    Html,
    LargeHtml,
    Hook,
    Upload,
    /// With `toolSlug`.
    General,
}

#[derive(Clone, Copy, Debug)]
enum Check {
    /// Our envelope with this member.
    Member(&'static str),
    /// An error's envelope with this code.
    Refusal(&'static str),
    /// A document with this member.
    Document(&'static str),
    /// A page whose markup contains this.
    Page(&'static str),
}

/// The baseline for the functions' start times.
pub const HELLO_WORLD: &str = "hello-world";

const fn http(name: &'static str, route: &'static str, status: u16, body: Option<Body>, check: Check) -> Case {
    Case { name, binary: name, event: Event::Http { route, status, body, check } }
}

pub const CASES: [Case; 17] = [
    Case { name: HELLO_WORLD, binary: HELLO_WORLD, event: Event::Plain { answer: Some("hello") } },
    http("list-tools", "GET /v1/tools", 200, None, Check::Member("tools")),
    http("get-tool-schema", "GET /v1/tools/{tool_slug}/schema", 200, None, Check::Member("tool")),
    http("create-job", "POST /v1/jobs", 202, Some(Body::General), Check::Member("job")),
    Case {
        name: "create-job, 100 KB of HTML",
        ..http("create-job", "POST /v1/jobs", 202, Some(Body::LargeHtml), Check::Member("job"))
    },
    http("create-tool-job", "POST /v1/tools/{tool_slug}/jobs", 202, Some(Body::Html), Check::Member("job")),
    http("convert-office-to-pdf", "POST /v1/convert/office-to-pdf", 202, Some(Body::Office), Check::Member("job")),
    http("convert-html-to-pdf", "POST /v1/convert/html-to-pdf", 202, Some(Body::Html), Check::Member("job")),
    http("get-job", "GET /v1/jobs/{job_id}", 200, None, Check::Member("job")),
    http("get-job-download", "GET /v1/jobs/{job_id}/download", 200, None, Check::Member("download")),
    http("get-account-usage", "GET /v1/account/usage", 200, None, Check::Member("usage")),
    http("create-upload", "POST /v1/uploads", 200, Some(Body::Upload), Check::Member("upload")),
    http("test-webhook", "POST /v1/webhooks/test", 200, Some(Body::Hook), Check::Member("webhookTest")),
    http("route-fallback", "GET /v1/nothing", 404, None, Check::Refusal("route_not_found")),
    http("api-docs", "GET /openapi.json", 200, None, Check::Document("openapi")),
    Case {
        name: "dashboard, homepage",
        ..http("dashboard", "GET /", 200, None, Check::Page("href=\"/tools/html-to-pdf\""))
    },
    Case { name: "sweeper", binary: "sweeper", event: Event::Plain { answer: None } },
];

impl Case {
    /// The function's event. Each one has its own Idempotency-Key.
    pub fn event(&self, world: &World) -> Value {
        match self.event {
            Event::Plain { .. } => json!({"source": "bench"}),
            Event::Http { route, body, .. } => gateway_event(world, route, body.map(Body::text)),
        }
    }

    /// Checks the response: only correct ones count.
    pub fn check(&self, answer: &Value) -> Result<(), Problem> {
        match self.event {
            Event::Plain { answer: expected } if answer.as_str() == expected => Ok(()),
            Event::Plain { .. } => Err(format!("{}: a wrong answer", self.name).into()),
            Event::Http { status, check, .. } => {
                let text = answer["body"].as_str().unwrap_or_default();
                if answer["statusCode"] == status && check.holds(text) {
                    Ok(())
                } else {
                    let body: Value = serde_json::from_str(text).unwrap_or_default();
                    Err(format!("{}: answered {} {}", self.name, answer["statusCode"], body["error"]["code"]).into())
                }
            }
        }
    }
}

impl Check {
    fn holds(self, text: &str) -> bool {
        let body: Value = serde_json::from_str(text).unwrap_or_default();
        let has_id = body["requestId"].as_str().is_some_and(|id| !id.is_empty());
        match self {
            Self::Member(name) => has_id && body["ok"] == true && !body[name].is_null(),
            Self::Refusal(code) => has_id && body["ok"] == false && body["error"]["code"] == code,
            Self::Document(name) => !body[name].is_null(),
            Self::Page(markup) => text.contains(markup),
        }
    }
}

impl Body {
    fn text(self) -> String {
        let hello = "<h1>Hello</h1>";
        let body = match self {
            Self::Office => json!({"sourceUrl": "https://files.example/report.docx", "filename": "report.docx"}),
            Self::Html => json!({"html": hello, "options": {"pageSize": "A5", "marginTop": "20mm"}}),
            Self::General => {
                json!({"toolSlug": "html-to-pdf", "input": {"html": hello}, "metadata": {"order": "4711"}})
            }
            Self::LargeHtml => json!({"toolSlug": "html-to-pdf", "html": "<p>x".repeat(LARGE_HTML_BYTES / 4)}),
            Self::Upload => json!({"filename": "report.doc", "contentType": "application/msword", "bytes": 1000}),
            Self::Hook => json!({"url": "https://hooks.example/docmill"}),
        };
        body.to_string()
    }
}

/// A request in the gateway's payload format 2.0.
fn gateway_event(world: &World, route: &str, body: Option<String>) -> Value {
    let (method, template) = route.split_once(' ').unwrap_or(("GET", route));
    let job = world.job.to_string();
    let path = template.replace("{tool_slug}", "html-to-pdf").replace("{job_id}", &job);
    let request_id = Uuid::now_v7().to_string();
    let mut event = json!({
        "version": "2.0",
        "routeKey": route,
        "rawPath": path,
        "rawQueryString": "",
        "headers": {
            "accept": "*/*",
            "authorization": format!("Bearer {}", world.key.reveal()),
            "content-type": "application/json",
            "host": "api.example",
            "idempotency-key": request_id,
            "user-agent": "bench",
            "x-amzn-trace-id": "Root=1-5759e988-bd862e3fe1be46a994272793",
            "x-forwarded-for": "203.0.113.1",
        },
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "bench",
            "domainName": "api.example",
            "http": {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "203.0.113.1", "userAgent": "bench"},
            "requestId": request_id,
            "routeKey": route,
            "stage": "$default",
            "time": "20/Nov/2026:12:00:00 +0000",
            "timeEpoch": 1_795_176_000_000_u64,
        },
        "pathParameters": {"tool_slug": "html-to-pdf", "job_id": job},
        "isBase64Encoded": false,
    });
    if let Some(body) = body {
        event["body"] = json!(body);
    }
    event
}
