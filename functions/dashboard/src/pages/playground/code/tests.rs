use std::io::Write;
use std::process::{Command, Stdio};

use super::*;

/// The code in this language.
fn of(language: Language, slug: &str, body: &Value, files: &[File<'_>]) -> String {
    let catalogue = Catalogue::load().unwrap();
    let tool = catalogue.find(slug).unwrap();
    let tabs = code(&catalogue, tool, body.as_object().unwrap(), files);
    tabs.into_iter().find(|tab| tab.label == language.name()).expect("a tab").code
}

/// Runs a program with this standard input and returns its output.
fn run(program: &[&str], script: &str) -> String {
    let scratch = tempfile::tempdir().unwrap();
    std::fs::write(scratch.path().join("it's.csv"), "a,b\n1,2").unwrap();
    let mut process = Command::new(program[0])
        .args(&program[1..])
        .current_dir(scratch.path())
        .env("DOCMILL_URL", "https://api.example")
        .env("DOCMILL_KEY", "key")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    process.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap()
}

/// A real shell with a fake `docmill` that prints its arguments, and a fake `curl` that does so, too, and answers like the API: the first
/// time, the job is still running.
fn shell(script: &str) -> String {
    let stub = r#"docmill() { for a in "$@"; do printf '<%s>' "$a" >&2; done; }
        curl() {
            for a in "$@"; do printf '<%s>' "$a" >&2; if [ "$a" = @- ]; then cat >&2; fi; done; echo >&2
            case " $* " in
                *' PUT '*) ;;
                *http_code*) [ -e asked ] && printf 200 || { touch asked; printf 202; } ;;
                *Idempotency*) [ -e asked ] && echo '{"job":{"status":"completed"},"download":{"url":"https://get.example","filename":"a.zip"}}' ||
                    { touch asked; echo '{"job":{"status":"processing"}}'; } ;;
                *) echo '{"upload":{"id":"upl_1","url":"https://put.example"}}' ;;
            esac
        }"#;
    run(&["sh"], &format!("{stub}\n{script}\n"))
}

/// What the code does, by a real Python with a fake client.
fn python(script: &str) -> Value {
    let stub = r#"
import json, sys, types
class Conversion:
    def __init__(self, tool, source, options=None):
        self.did = {"tool": tool, "source": source, "options": options, "then": []}
    def then(self, tool, options=None):
        self.did["then"].append([tool, options])
        return self
    def wait(self):
        return self
    def link(self):
        return {"filename": "a.zip"}
    def save(self, path):
        print(json.dumps({**self.did, "path": path}), file=sys.stderr)
class Docmill:
    run = Conversion
    uploads = types.SimpleNamespace(create=lambda path: "upload of " + path)
sys.modules["docmill"] = types.SimpleNamespace(Docmill=Docmill)
"#;
    let said = run(&["python3", "-"], &format!("{stub}{script}\n"));
    serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}\n{script}"))
}

#[test]
fn shells_and_python_read_the_exact_values() {
    let html = "<p class=\"a\">it's $HOME `date` \\n</p>";
    let body = json!({"input": {"html": html}, "options": {"tagged": false, "headerHtml": "-$`\"x\\\""}});
    let said = shell(&of(Language::Curl, "html-to-pdf", &body, &[]));
    assert!(said.contains("<https://api.example/v1/tools/html-to-pdf/jobs>"), "{said}");
    assert!(said.contains("<Authorization: Bearer key>") && said.contains(&format!("<{body}>")), "{said}");
    let did = python(&of(Language::Python, "html-to-pdf", &body, &[]));
    assert_eq!(did["source"], body["input"]);
    assert_eq!((&did["options"], &did["path"]), (&body["options"], &json!("result.pdf")));
    let command = of(Language::CommandLine, "html-to-pdf", &body, &[]);
    let said = shell(&format!("{command}\ncat page.html >&2"));
    let flags = "<--tagged=false><--header-html=-$`\"x\\\">";
    assert_eq!(said, format!("<html-to-pdf><page.html><-o><result.pdf>{flags}{html}\n"));
}

#[test]
fn curl_repeats_its_request_with_the_same_key_until_the_job_has_ended() {
    let body = json!({"input": {"sourceUrl": "https://a.example/x.pdf"}});
    for slug in ["compress-pdf", "split-pdf"] {
        let said = shell(&of(Language::Curl, slug, &body, &[]));
        let keys: Vec<_> = said.match_indices("Idempotency-Key").map(|(at, _)| &said[at..at + 30]).collect();
        assert_eq!(keys.len(), 2, "{said}");
        assert_eq!(keys[0], keys[1], "{said}");
    }
}

#[test]
fn a_result_that_may_be_several_files_has_its_own_name() {
    let body = json!({"input": {"sourceUrl": "https://a.example/x.docx"}, "then": [{"toolSlug": "pdf-to-images"}]});
    for (slug, body, command, path) in [
        ("office-to-pdf", body, "<-o><.><--then><pdf-to-images>", "a.zip"),
        (
            "inspect-document",
            json!({"input": {"sourceUrl": "https://a.example/x.pdf"}}),
            "<-o><result.json>",
            "result.json",
        ),
    ] {
        let curl = of(Language::Curl, slug, &body, &[]);
        assert!(!curl.contains("Accept:"), "{curl}");
        let said = shell(&curl);
        assert!(said.ends_with("<-sS><--fail><-o><a.zip><https://get.example>\n"), "{said}");
        assert_eq!(python(&of(Language::Python, slug, &body, &[]))["path"], path);
        let said = shell(&of(Language::CommandLine, slug, &body, &[]));
        assert!(said.ends_with(command), "{said}");
    }
    let step = json!({"input": {}, "then": [{"toolSlug": "thumbnail", "options": {"format": "jpeg"}}]});
    let curl = of(Language::Curl, "office-to-pdf", &step, &[]);
    assert!(curl.contains("-o 'result.jpg'") && curl.contains("Accept: image/jpeg"), "{curl}");
}

#[test]
fn a_file_is_uploaded_and_the_result_is_named_after_it() {
    let body = json!({"input": {"uploadId": "upl_0"}, "options": {"waitFor": {"expression": "$`\"x\\\""}}});
    let file = File { name: "it's.csv", content_type: "text/csv" };
    let said = shell(&of(Language::Curl, "html-to-pdf", &body, &[file]));
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].ends_with(r#"<{"contentType":"text/csv","bytes":7}>"#), "{said}");
    let put = "<https://put.example><-H><content-type: text/csv><-H><if-none-match: *><--data-binary><@it's.csv>";
    assert!(lines[1].contains(put), "{said}");
    let sent = body.to_string().replace("upl_0", "upl_1");
    assert!(said.contains(&format!("<@->{sent}")), "{said}");
    let did = python(&of(Language::Python, "html-to-pdf", &body, &[file]));
    assert_eq!((&did["source"], &did["path"]), (&json!("it's.csv"), &json!("it's.pdf")));
    let said = shell(&of(Language::CommandLine, "html-to-pdf", &body, &[file]));
    assert_eq!(said, "<html-to-pdf><it's.csv><-o><it's.pdf><--wait-for><{\"expression\":\"$`\\\"x\\\\\\\"\"}>");
    let typescript = of(Language::TypeScript, "html-to-pdf", &body, &[file]);
    assert!(
        typescript.contains(r#".run("html-to-pdf", "it's.csv", { waitFor: { expression: "$`\"x\\\"" } })"#),
        "{typescript}"
    );
}

#[test]
fn no_file_is_overwritten() {
    let body = json!({"input": {}});
    let file = |name| File { name, content_type: "application/pdf" };
    for (names, saved) in [(["a.pdf", "b.pdf"], "result.pdf"), (["result.pdf", "a.pdf"], "converted.pdf")] {
        let python = of(Language::Python, "merge-pdf", &body, &names.map(file));
        assert!(python.contains(&format!(".save(\"{saved}\")")), "{python}");
    }
}

#[test]
fn files_with_a_password_are_uploaded_first() {
    let body = json!({"input": {"sources": [{"uploadId": "upl_1", "password": "canary"}, {"uploadId": "upl_2", "password": "canary"}]},
        "then": [{"toolSlug": "compress-pdf", "options": {"preset": "small"}}]});
    let files = ["a.pdf", "b.pdf"].map(|name| File { name, content_type: "application/pdf" });
    let did = python(&of(Language::Python, "merge-pdf", &body, &files));
    let source = |name: &str| json!({"password": SECRET, "uploadId": format!("upload of {name}")});
    assert_eq!(did["source"], json!([source("a.pdf"), source("b.pdf")]));
    assert_eq!(did["then"], json!([["compress-pdf", {"preset": "small"}]]));
    let said = shell(&of(Language::CommandLine, "merge-pdf", &body, &files));
    assert_eq!(said, "<merge><a.pdf><b.pdf><-o><result.pdf><--password><<secret>><--then><compress --preset small>");
}

#[test]
fn the_code_contains_no_secret() {
    let protect = json!({"toolSlug": "protect-pdf", "options": {"userPassword": "canary", "ownerPassword": "canary"}});
    let body = json!({"input": {"sourceUrl": "https://a.example/x?sig=canary"}, "options": {"password": "canary"}, "then": [protect]});
    for language in LANGUAGES {
        let code = of(language, "office-to-pdf", &body, &[]);
        assert!(!code.contains("canary") && code.matches(SECRET).count() == 3, "{code}");
    }
}
