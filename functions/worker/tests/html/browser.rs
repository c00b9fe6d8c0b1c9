//! HTML through the browser.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_domain::job::JobErrorCode;
use docmill_engine::{Engine, Source};
use rustix::process::{Pid, Signal};
use serde_json::{Value, json};

use crate::support::{Answer, Forbidden, Server, exceed_limits, launcher, policy, print, print_html, print_within};

fn engine(server: Option<&Server>) -> HtmlBrowser {
    HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(server))
}

async fn failure(engine: &HtmlBrowser, html: &str, options: Value, seconds: u64) -> (JobErrorCode, String) {
    let source = Source::html(html.to_owned());
    let failure = print_within(engine, source, options, Duration::from_secs(seconds)).await.unwrap_err();
    (failure.code, failure.message)
}

#[tokio::test]
async fn a_page_is_printed_with_scripts_header_and_footer() {
    let html = "<title>Ledger</title><p>one é 你好</p><p style='break-before:page'>two</p>\
        <script>document.body.append('by script')</script>";
    let options = json!({"pageSize": "A5", "landscape": true, "marginTop": "20mm", "marginBottom": "20mm",
        "headerHtml": "<span>head of <span class=title></span></span>",
        "footerHtml": "<span>page <span class=pageNumber></span> of <span class=totalPages></span></span>"});
    let printed = print_html(&engine(None), html, options).await.unwrap();
    assert_eq!(printed.pages, 2);
    assert!(printed.is_sized(595.3, 419.5), "{:?}", printed.size);
    for expected in ["one é", "你好", "two", "by script", "head of Ledger", "page 1 of 2", "page 2 of 2"] {
        assert!(printed.text.contains(expected), "{expected} is not in {:?}", printed.text);
    }
    assert_eq!(printed.warnings, []);
}

#[tokio::test]
async fn emoji_are_in_color() {
    let engine = engine(None);
    for emoji in ["😀", "🇩🇪", "👩\u{200d}🚀", "❤️"] {
        assert!(print_html(&engine, emoji, json!({})).await.unwrap().has_color, "{emoji}");
    }
    assert!(!print_html(&engine, "© 1 ✔", json!({})).await.unwrap().has_color, "signs are not emoji");
    // Families are one monochrome sign since Unicode 15.1.
    let page = "<span>😀</span><span>👨\u{200d}👩\u{200d}👧</span><span>🇩🇪</span><p><script>
        const widths = [...document.querySelectorAll('span')].map(span => span.offsetWidth);
        document.querySelector('p').append(widths.every(width => width === widths[0]) ? 'joined' : widths)</script>";
    assert!(print_html(&engine, page, json!({})).await.unwrap().text.contains("joined"));
}

#[tokio::test]
async fn missing_fonts_and_characters_are_named() {
    let engine = engine(None);
    let page = "<p style='font-family: \"Acme Grotesk\", serif'>text</p><p style='font-family: Acme, Arial'>text</p>\
        <p style='font-family: system-ui, Acme'>\u{1242B}é漢😀👩\u{200d}🚀\u{E123}</p><p style='display: none'>\u{E124}</p>";
    let printed = print_html(&engine, page, json!({})).await.unwrap();
    assert_eq!(printed.details("font_substituted"), ["acme grotesk"]);
    assert_eq!(printed.details("missing_glyph"), ["\u{E123}"]);
    let page = "<p style='font-family: Verdana, Geneva, sans-serif'>Hamburgefonts</p>";
    let printed = print_html(&engine, page, json!({})).await.unwrap();
    assert_eq!(printed.details("font_substituted"), ["verdana"]);
    assert!(printed.warnings[0].message.contains("about as wide"), "{}", printed.warnings[0].message);
    // The page replaces functions in its own world, but another world is asked.
    let page =
        "<p style='font-family: Acme'>\u{E123}</p><script>document.createTreeWalker = getComputedStyle = null</script>";
    let printed = print_html(&engine, page, json!({})).await.unwrap();
    assert_eq!(printed.details("font_substituted"), ["acme"]);
    assert_eq!(printed.details("missing_glyph"), ["\u{E123}"]);
}

#[tokio::test]
async fn missing_fonts_have_substitutes_of_the_same_width() {
    let engine = engine(None);
    for (font, relative) in [
        ("Arial", "LiberationSans"),
        ("Arial Narrow", "LiberationSansNarrow"),
        ("Georgia", "Gelasio-Regular"),
        ("Consolas", "InconsolataSemiWide-Regular"),
        ("Comic Sans MS", "ComicRelief-Regular"),
        ("Verdana", "DejaVuSansTall-Regular"),
        ("Trebuchet MS, Calibri", "Carlito"),
    ] {
        let page = format!("<p style='font-family: {font}'>Hamburgefonts</p>");
        let printed = print_html(&engine, &page, json!({})).await.unwrap();
        assert_eq!(printed.fonts, [relative], "{font}");
    }
}

#[tokio::test]
async fn header_and_footer_are_absent_unless_asked_for() {
    let engine = engine(None);
    let printed = print_html(&engine, "<title>Ledger</title><p>one</p>", json!({})).await.unwrap();
    assert_eq!(printed.text.trim(), "one");
    let printed =
        print_html(&engine, "<title>T</title><p>one</p>", json!({"footerHtml": "<p>foot</p>"})).await.unwrap();
    assert_eq!(printed.text.split_whitespace().collect::<Vec<_>>(), ["one", "foot"]);
}

#[tokio::test]
async fn conditions_of_the_job_are_awaited() {
    let engine = engine(None);
    let html = "<p>early</p><script>setTimeout(() => {
        document.body.insertAdjacentHTML('beforeend', '<p id=late>late</p>'); window.ready = {} }, 400)</script>";
    for wait in [
        json!({"selector": "#late"}),
        json!({"expression": "window.ready"}),
        json!({"expression": "new Promise(done => setTimeout(() => done(true), 800))"}),
        json!({"delayMs": 900}),
    ] {
        let printed = print_html(&engine, html, json!({"waitFor": wait})).await.unwrap();
        assert!(printed.text.contains("late"), "{wait}");
    }
    let printed = print_html(&engine, html, json!({"waitFor": "load"})).await.unwrap();
    assert!(!printed.text.contains("late"));
    let idle = print_html(&engine, "<p>still", json!({"waitFor": "networkIdle"})).await.unwrap();
    assert!(idle.text.contains("still"));
}

#[tokio::test]
async fn an_unmet_wait_is_reported() {
    let engine = engine(None);
    engine.get_ready().await;
    for (wait, told) in [
        (json!({"selector": "#never"}), "no element matched"),
        (json!({"expression": "window.never"}), "never became true"),
        (json!({"selector": "p["}), "not valid CSS"),
        (json!({"expression": "1 +"}), "not valid JavaScript"),
    ] {
        let (code, message) = failure(&engine, "<p>x", json!({"waitFor": wait}), 4).await;
        assert_eq!(code, JobErrorCode::RenderFailed, "{wait}");
        assert!(message.contains(told), "{wait}: {message}");
    }
}

#[tokio::test]
async fn only_the_pages_of_the_range_are_printed() {
    let engine = engine(None);
    let html: String = (1..=5).map(|n| format!("<p style='break-after:page'>sheet{n}</p>")).collect();
    let printed = print_html(&engine, &html, json!({"pageRange": "2-3,5"})).await.unwrap();
    assert_eq!(printed.pages, 3);
    assert_eq!(printed.text.split_whitespace().collect::<Vec<_>>(), ["sheet2", "sheet3", "sheet5"]);
    let (code, message) = failure(&engine, &html, json!({"pageRange": "50-60"}), 20).await;
    assert_eq!(code, JobErrorCode::RenderFailed);
    assert!(message.contains("pageRange"), "{message}");
}

#[tokio::test]
async fn media_is_print_unless_screen_is_asked_for() {
    let engine = engine(None);
    let html = "<style>@media screen { .p { display: none } } @media print { .s { display: none } }</style>\
        <p class=p>printed</p><p class=s>screened</p>";
    for (options, expected) in [(json!({}), "printed"), (json!({"media": "screen"}), "screened")] {
        assert_eq!(print_html(&engine, html, options).await.unwrap().text.trim(), expected);
    }
}

#[tokio::test]
async fn css_sets_the_paper_only_if_allowed() {
    let engine = engine(None);
    let html = "<style>@page { size: 200pt 300pt }</style><p>x";
    for (options, width, height) in [
        (json!({"pageSize": "Letter"}), 612.0, 792.0),
        (json!({"preferCssPageSize": true}), 200.0, 300.0),
        (json!({"width": "4in", "height": 480}), 288.0, 360.0),
    ] {
        let printed = print_html(&engine, html, options).await.unwrap();
        assert!(printed.is_sized(width, height), "{:?}", printed.size);
    }
}

#[tokio::test]
async fn hostile_pages_only_harm_themselves() {
    let engine = engine(None);
    let fine = async || {
        engine.get_ready().await;
        let printed = print_html(&engine, "<p>next job", json!({})).await.unwrap();
        assert_eq!(printed.text.trim(), "next job");
    };
    // The browser's start does not count here.
    engine.get_ready().await;
    for html in [
        "<p>x<script>while(1){}</script>",
        "<p>x<script>onload = () => setTimeout(() => { while(1){} }, 0)</script>",
        "<p>x<script>document.fonts.ready.then = undefined; Object.defineProperty(document, 'fonts',
            {value: {ready: new Promise(() => {})}})</script>",
    ] {
        assert_eq!(failure(&engine, html, json!({}), 3).await.0, JobErrorCode::ConversionTimeout, "{html}");
        fine().await;
    }
    let bomb = "<script>let a = []; while(1) a.push(new Array(1e6).fill(1.5))</script>";
    // The limit for scripts is known, so there is no second try.
    let (code, message) = failure(&engine, bomb, json!({}), 20).await;
    assert_eq!(code, JobErrorCode::RenderFailed, "{message}");
    assert!(message.contains("needs more memory than"), "{message}");
    fine().await;
    let buffers = "<script>let a = []; while(1) a.push(new Uint8Array(1e8).fill(1))</script><p>survived";
    // A denied allocation may throw in the page or end it.
    match print_html(&engine, buffers, json!({})).await {
        Ok(printed) => assert!(printed.text.contains("survived")),
        // The page ended at its process's limit, or the whole browser at the job's, which the message says.
        Err(failure) => assert!(
            failure.code == JobErrorCode::EngineCrashed || failure.message.contains("needs more memory than"),
            "{failure}"
        ),
    }
    fine().await;
    let reload = "<script>location.reload()</script>x";
    assert_eq!(failure(&engine, reload, json!({}), 20).await.0, JobErrorCode::RenderFailed);
    fine().await;
    let harmless = "<p>before</p><script>alert(1); confirm(2); prompt(3); print(); open('about:blank');
        onbeforeunload = () => 1; location.href = 'data:text/html,away'; document.body.append('after')</script>
        <meta http-equiv=refresh content='0;url=file:///etc/passwd'><iframe src='file:///etc/passwd'></iframe>";
    let printed = print_html(&engine, harmless, json!({})).await.unwrap();
    assert!(printed.text.contains("before") && printed.text.contains("after"), "{:?}", printed.text);
    assert!(!printed.text.contains("root:"));
    fine().await;
}

#[tokio::test]
async fn a_page_that_leads_to_a_refused_address_is_printed_itself() {
    let engine = engine(None);
    for address in ["https://10.0.0.1/", "http://10.0.0.1/", "http://nowhere.invalid/", "https://nowhere.invalid/"] {
        let html = format!("<meta http-equiv=refresh content='0;url={address}'><p>ORIGINAL</p>");
        let printed = print_html(&engine, &html, json!({"waitFor": {"delayMs": 300}})).await.unwrap();
        assert_eq!(printed.text.trim(), "ORIGINAL", "{address}");
        let codes: Vec<_> = printed.warnings.iter().map(|warning| warning.code.as_str()).collect();
        assert!(codes == ["resource_blocked"] || codes == ["resource_failed"], "{address}: {codes:?}");
    }
    let server = Server::start(|_| (200, "Content-Type: text/html\r\n", b"<p>NEXT</p>".to_vec()));
    let engine = self::engine(Some(&server));
    let html = format!("<meta http-equiv=refresh content='0;url=http://127.0.0.1:{}/'><p>ORIGINAL</p>", server.port);
    let printed = print_html(&engine, &html, json!({"waitFor": {"delayMs": 300}})).await.unwrap();
    assert_eq!(printed.text.trim(), "NEXT");
}

#[tokio::test]
async fn pages_cannot_reach_this_machine() {
    let forbidden = Forbidden::listen();
    let html = r#"<link rel=preconnect href="http://127.0.0.1:TCP"><link rel=prefetch href="http://127.0.0.1:TCP/p">
        <link rel=stylesheet href="http://localhost:TCP/c"><img src="http://127.0.0.1:TCP/i">
        <img src="http://[::ffff:127.0.0.1]:TCP/6"><iframe src="http://127.0.0.1:TCP/f"></iframe>
        <video src="https://127.0.0.1:TCP/v"></video><div id=done></div>
        <script>
        const go = f => { try { f() } catch {} };
        const B = 'http://127.0.0.1:TCP';
        go(() => fetch(B + '/fetch', {mode: 'no-cors'}).catch(() => 0).finally(() => done.className = 'yes'));
        go(() => new WebSocket('ws://127.0.0.1:TCP/ws'));
        go(() => new EventSource(B + '/sse')); go(() => navigator.sendBeacon(B + '/beacon', 'x')); go(() => open(B + '/popup'));
        go(() => new Worker(URL.createObjectURL(new Blob([`fetch('${B}/worker'); new WebSocket('ws://127.0.0.1:TCP/w')`]))));
        go(() => new SharedWorker(URL.createObjectURL(new Blob([`fetch('${B}/shared')`]))));
        go(() => { const p = new RTCPeerConnection({iceServers: [{urls: 'stun:127.0.0.1:UDP'},
            {urls: 'turn:127.0.0.1:TCP?transport=tcp', username: 'a', credential: 'b'}]});
            p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o)) });
        </script>"#
        .replace("TCP", &forbidden.tcp.to_string())
        .replace("UDP", &forbidden.udp.to_string());
    let footer = format!("<img src='http://127.0.0.1:{}/footer'>", forbidden.tcp);
    let options = json!({"waitFor": {"selector": ".yes"}, "footerHtml": footer});
    let printed = print_html(&engine(None), &html, options).await.unwrap();
    assert_eq!(forbidden.heard(), Vec::<String>::new());
    let blocked = printed.details("resource_blocked");
    assert!(blocked.contains(&"127.0.0.1") && blocked.contains(&"localhost"), "{:?}", printed.warnings);
}

#[tokio::test]
async fn a_page_is_loaded_through_the_proxy_with_what_it_needs() {
    let server = Server::start(|path| -> Answer {
        match path {
            "/start?token=canary" => (302, "Location: /page\r\n", Vec::new()),
            "/page" => {
                let page = "<link rel=stylesheet href=/style.css><img src=/gone.png><p>fetched</p>\
                    <script>fetch('/data').then(r => r.text()).then(t => document.body.append(t))</script>";
                (200, "Content-Type: text/html; charset=utf-8\r\n", page.into())
            }
            "/style.css" => (200, "Content-Type: text/css\r\n", b"p::after { content: ' and styled' }".to_vec()),
            "/data" => (200, "", b"with data".to_vec()),
            "/old" => (200, "Content-Type: text/html; charset=iso-8859-1\r\n", b"<p>Gr\xfc\xdfe".to_vec()),
            _ => (404, "", b"nothing".to_vec()),
        }
    });
    let engine = engine(Some(&server));
    let options = json!({"waitFor": {"expression": "document.body.innerText.includes('with data')"}});
    let printed = print(&engine, server.page("/start?token=canary"), options).await.unwrap();
    assert!(printed.text.contains("fetched and styled") && printed.text.contains("with data"), "{:?}", printed.text);
    assert_eq!(printed.details("resource_failed"), ["127.0.0.1: HTTP 404"]);
    let printed = print(&engine, server.page("/old"), json!({})).await.unwrap();
    assert_eq!(printed.text.trim(), "Grüße");
}

#[tokio::test]
async fn a_page_that_cannot_be_loaded_fails_with_the_reason() {
    let server = Server::start(|path| -> Answer {
        match path {
            "/500" => (500, "", b"x".to_vec()),
            "/pdf" => (200, "Content-Type: application/pdf\r\n", b"%PDF-1.4".to_vec()),
            "/attached" => (200, "Content-Disposition: attachment\r\n", b"x".to_vec()),
            "/circle" => (302, "Location: /circle\r\n", Vec::new()),
            "/inwards" => (302, "Location: http://10.0.0.1/?canary\r\n", Vec::new()),
            "/script" => {
                (200, "Content-Type: text/html\r\n", b"<script>location = 'http://10.0.0.1/'</script>".to_vec())
            }
            _ => (404, "", Vec::new()),
        }
    });
    let engine = engine(Some(&server));
    for (path, code, told) in [
        ("/none?canary", JobErrorCode::SourceUnreachable, "404"),
        ("/500", JobErrorCode::SourceUnreachable, "500"),
        ("/pdf", JobErrorCode::UnsupportedFormat, "application/pdf"),
        ("/attached", JobErrorCode::UnsupportedFormat, "not a page"),
        ("/circle", JobErrorCode::SourceUnreachable, "redirects"),
        ("/inwards", JobErrorCode::SourceForbidden, "10.0.0.1"),
        ("/script", JobErrorCode::SourceForbidden, "10.0.0.1"),
    ] {
        let failure = print(&engine, server.page(path), json!({})).await.unwrap_err();
        assert_eq!(failure.code, code, "{path}: {failure}");
        assert!(failure.message.contains(told), "{path}: {}", failure.message);
        assert!(!format!("{failure:?}").contains("canary"), "{path}: {failure:?}");
    }
    let literal = Source::Page("https://127.0.0.1:8443/x".parse().unwrap());
    assert_eq!(print(&engine, literal, json!({})).await.unwrap_err().code, JobErrorCode::SourceForbidden);
    let nowhere = Source::Page("http://no-such-name.invalid/".parse().unwrap());
    assert_eq!(print(&engine, nowhere, json!({})).await.unwrap_err().code, JobErrorCode::SourceUnreachable);
}

/// Waits until no process of a group is left.
async fn assert_gone(group: Pid) {
    for _ in 0..1000 {
        if rustix::process::test_kill_process_group(group).is_err() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("still there: {group:?}");
}

/// A browser that was killed or hangs, as after a freeze, is replaced before the next job. A browser that had a job is never used
/// again.
#[tokio::test]
async fn a_browser_that_is_gone_or_hangs_or_had_a_job_is_replaced() {
    let scratch = tempfile::tempdir().unwrap();
    let program = scratch.path().join("browser");
    // Chromium ignores this unknown switch. It identifies this test's browser.
    let mark = format!("--test={}", scratch.path().display());
    let script = format!("#!/bin/sh\nexec chromium-headless-shell '{mark}' \"$@\"\n");
    // Without PATH, the shell's default finds the distribution's wrapper.
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let settings = BrowserSettings { program: Some(program), ..BrowserSettings::default() };
    let engine = HtmlBrowser::new(settings, launcher(), policy(None));
    let browser = || {
        let pids =
            std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
        let is_marked = |pid: &Pid| {
            let line = std::fs::read(format!("/proc/{}/cmdline", pid.as_raw_nonzero())).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
        };
        let leads_its_group = |pid: &Pid| rustix::process::getpgid(Some(*pid)).is_ok_and(|group| group == *pid);
        pids.filter_map(Pid::from_raw).find(|pid| is_marked(pid) && leads_its_group(pid)).unwrap()
    };
    for signal in [Signal::KILL, Signal::STOP] {
        engine.get_ready().await;
        let before = browser();
        rustix::process::kill_process_group(before, signal).unwrap();
        let printed = print_html(&engine, "<p>replaced", json!({})).await.unwrap();
        assert_eq!(printed.text.trim(), "replaced");
        assert_gone(before).await;
    }
    // A browser that was frozen and resumed serves its job, and then no other.
    engine.get_ready().await;
    let prepared = browser();
    rustix::process::kill_process_group(prepared, Signal::STOP).unwrap();
    rustix::process::kill_process_group(prepared, Signal::CONT).unwrap();
    engine.get_ready().await;
    assert_eq!(browser(), prepared);
    print_html(&engine, "<p>thawed", json!({})).await.unwrap();
    assert_gone(prepared).await;
    engine.get_ready().await;
    assert_ne!(browser(), prepared);
}

#[tokio::test]
async fn a_result_over_the_limits_is_refused() {
    let [pages, bytes] = exceed_limits(&engine(None)).await;
    assert_eq!(pages.code, JobErrorCode::PageLimitExceeded, "{pages}");
    assert_eq!(bytes.code, JobErrorCode::RenderFailed, "{bytes}");
    assert!(bytes.message.contains("larger than the limit"), "{}", bytes.message);
}
