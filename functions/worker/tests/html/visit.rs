//! What is sent to a page, and what makes its job fail.

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_domain::job::JobErrorCode;
use docmill_egress::{EgressPolicy, SourceExceptions};
use serde_json::{Value, json};

use crate::support::{Answer, Server, launcher, policy, print, print_html};

/// A browser that may reach all of these servers.
fn engine(servers: &[&Server]) -> HtmlBrowser {
    let ports: Vec<_> = servers.iter().map(|server| format!("127.0.0.1:{0},localhost:{0}", server.port)).collect();
    let policy = EgressPolicy::new(ports.join(",").parse::<SourceExceptions>().unwrap());
    HtmlBrowser::new(BrowserSettings::default(), launcher(), policy)
}

fn page(body: String) -> Answer {
    (200, "Content-Type: text/html\r\n", body.into_bytes())
}

#[tokio::test]
async fn pictures_of_inline_pages_are_loaded() {
    let pixel = include_bytes!("../../../../tests/fixtures/office/pixel.png").to_vec();
    let server = Server::start(move |_| (200, "Content-Type: image/png\r\n", pixel.clone()));
    let html = format!("<img src='http://127.0.0.1:{0}/x.png' onload='document.body.append(`loaded`)'>", server.port);
    let printed = print_html(&engine(&[&server]), &html, json!({})).await.unwrap();
    assert_eq!(printed.warnings, []);
    assert!(printed.text.contains("loaded"));
}

#[tokio::test]
async fn headers_and_cookies_stay_with_the_pages_own_origin() {
    let stranger = Server::start(|path| match path {
        "/landed" => page("<p>elsewhere</p>".into()),
        _ => (200, "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Headers: *\r\n", Vec::new()),
    });
    // Another origin by name. With another port, the cookies would be sent, as in all browsers.
    let other = format!("http://localhost:{}", stranger.port);
    let own = Server::start(move |path| match path {
        "/page" => page(format!(
            "<link rel=stylesheet href=/own.css><link rel=stylesheet href={other}/stranger.css><img src=/away.png>
             <iframe src={other}/frame></iframe><p>page</p><script>fetch('/data').then(() => fetch('{other}/fetched'))
             .finally(() => document.body.append('done'))</script>"
        )),
        "/away.png" => (302, Box::leak(format!("Location: {other}/redirected.png\r\n").into_boxed_str()), Vec::new()),
        "/leave" => (302, Box::leak(format!("Location: {other}/landed\r\n").into_boxed_str()), Vec::new()),
        _ => (200, "", Vec::new()),
    });
    let engine = engine(&[&own, &stranger]);
    let secrets = |more: Value| {
        let mut options = json!({"headers": {"Authorization": "Bearer canary", "X-Key": "canary"},
            "cookies": [{"name": "session", "value": "canary"}], "userAgent": "Tester/1"});
        options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        options
    };
    let wait = json!({"waitFor": {"expression": "document.body.innerText.includes('done')"}});
    let printed = print(&engine, own.page("/page"), secrets(wait)).await.unwrap();
    assert!(printed.text.contains("page"), "{}", printed.text);
    for path in ["/page", "/own.css", "/data", "/away.png"] {
        let head = own.heard(path).to_lowercase();
        for sent in ["authorization: bearer canary", "x-key: canary", "cookie: session=canary", "user-agent: tester/1"]
        {
            assert!(head.contains(sent), "{sent} is not in {head}");
        }
    }
    for path in ["/stranger.css", "/frame", "/fetched", "/redirected.png"] {
        let head = stranger.heard(path);
        assert!(head.contains("Tester/1"), "{path} was not asked for: {head}");
        assert!(!head.contains("canary"), "{path}: {head}");
    }
    let printed = print(&engine, own.page("/leave"), secrets(json!({}))).await.unwrap();
    assert!(printed.text.contains("elsewhere"));
    assert!(own.heard("/leave").contains("canary"));
    let landed = stranger.heard("/landed");
    assert!(landed.contains("Tester/1") && !landed.contains("canary"), "{landed}");
}

#[tokio::test]
async fn inline_pages_have_no_origin_to_send_secrets_to() {
    let server = Server::start(|_| (200, "", Vec::new()));
    let html = format!("<link rel=stylesheet href='http://127.0.0.1:{}/x.css'><p>x", server.port);
    let options = json!({"headers": {"X-Key": "canary"}, "cookies": [{"name": "a", "value": "canary"}]});
    let printed = print_html(&engine(&[&server]), &html, options).await.unwrap();
    assert_eq!(printed.details("option_without_effect"), ["cookies", "headers"]);
    assert!(server.heard("/x.css").starts_with("GET") && !server.heard("/x.css").contains("canary"));
}

#[tokio::test]
async fn a_job_chooses_what_counts_as_a_failure() {
    let server = Server::start(|path| match path {
        "/error" => (500, "Content-Type: text/html\r\n", b"<p>out of order".to_vec()),
        "/lost" => page("<img src=/gone.png><p>lost".into()),
        _ => (404, "", Vec::new()),
    });
    let engine = engine(&[&server]);
    let fails = async |path: &str, options: Value| print(&engine, server.page(path), options).await.unwrap_err();
    assert_eq!(fails("/error", json!({})).await.code, JobErrorCode::SourceUnreachable);
    let shown = print(&engine, server.page("/error"), json!({"failOnStatus": false})).await.unwrap();
    assert!(shown.text.contains("out of order"));
    let failure = fails("/lost", json!({"failOnResourceErrors": true})).await;
    assert_eq!(failure.code, JobErrorCode::RenderFailed);
    assert!(failure.message.contains("127.0.0.1: HTTP 404"), "{}", failure.message);
    for script in ["throw new Error('canary')", "console.error('canary')", "Promise.reject('canary')"] {
        let html = format!("<p>x<script>{script}</script>");
        assert_eq!(print_html(&engine, &html, json!({})).await.unwrap().text.trim(), "x");
        // A JavaScript condition uses the same console.
        let options = json!({"failOnConsole": true, "waitFor": {"expression": "true"}});
        let failure = print_html(&engine, &html, options).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::RenderFailed);
        assert!(failure.message.contains("failOnConsole"), "{}", failure.message);
        assert!(!format!("{failure} {}", failure.message).contains("canary"));
    }
    let quiet = "<script>console.log('fine'); console.warn('fine')</script>fine";
    assert!(print_html(&engine, quiet, json!({"failOnConsole": true})).await.is_ok());
    // An address that the proxy refuses fails the job even without `failOnStatus`.
    let blocked = HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(None));
    let failure = print(&blocked, server.page("/error"), json!({"failOnStatus": false})).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::SourceForbidden);
}

#[tokio::test]
async fn all_conditions_are_waited_for_and_preferences_are_known() {
    let html = "<style>p::after{content:' light'}@media (prefers-color-scheme:dark){p::after{content:' dark'}}
        @media (prefers-reduced-motion){b::after{content:' still'}}</style><p>x</p><b>y</b><script>
        setTimeout(() => document.body.append(Object.assign(document.createElement('i'), {id: 'one', innerText: 'first'})), 50);
        setTimeout(() => { window.second = true; document.body.append('second') }, 100)</script>";
    let engine = engine(&[]);
    let options = json!({"waitForAll": [{"selector": "#one"}, {"expression": "window.second"}], "emulate": ["dark", "reducedMotion"]});
    let printed = print_html(&engine, html, options).await.unwrap();
    for expected in ["x dark", "y still", "first", "second"] {
        assert!(printed.text.contains(expected), "{expected} is not in {}", printed.text);
    }
    let printed = print_html(&engine, html, json!({})).await.unwrap();
    assert!(printed.text.contains("x light") && !printed.text.contains("still"), "{}", printed.text);
}
