//! The command line that does what a form does, for a shell and with the key left to its environment.

use docmill::domain::source::{SourceKind, redact_url};
use docmill::domain::tool::Definition;
use serde_json::{Map, Value, json};

/// A file as the form knows it.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub name: &'a str,
    pub content_type: &'a str,
}

/// HTML over this size stands in a file of its own.
const MOST_INLINE_BYTES: usize = 2000;

/// `base`: the API's address. `body`: the job's. Secrets in it show as `[redacted]`.
pub fn command(base: &str, definition: &Definition, body: &Map<String, Value>, file: Option<File<'_>>) -> String {
    let slug = &definition.slug;
    let mut body = redacted(body, definition);
    let Some(file) = file else { return convert(base, slug, &Source::Body(body)) };
    if let Some(input) = body.get_mut("input").and_then(Value::as_object_mut) {
        input.insert("uploadId".to_owned(), json!("$id"));
    }
    let announced = format!("{{\"contentType\": {}, \"bytes\": ", json!(file.content_type));
    let announced = format!("{}\"$(wc -c <{})\"{}", quoted(&announced), quoted(file.name), quoted("}"));
    format!(
        "upload=$(curl -sS {base}/v1/uploads \\\n  {AUTHORIZED} \\\n  -d {announced})\n\
         id=$(printf %s \"$upload\" | jq -r .upload.id)\n\
         curl -sS -X PUT \"$(printf %s \"$upload\" | jq -r .upload.url)\" \\\n  -H {} --data-binary {}\n{}",
        quoted(&format!("content-type: {}", file.content_type)),
        quoted(&format!("@{}", file.name)),
        convert(base, slug, &Source::AfterUpload(body)),
    )
}

const AUTHORIZED: &str = "-H \"Authorization: Bearer $DOCMILL_KEY\" -H 'Content-Type: application/json'";

enum Source {
    Body(Map<String, Value>),
    /// The shell puts the upload's id in.
    AfterUpload(Map<String, Value>),
}

fn convert(base: &str, slug: &str, source: &Source) -> String {
    let call = format!("curl -sS {base}/v1/tools/{slug}/jobs \\\n  {AUTHORIZED} \\\n  ");
    match source {
        Source::Body(body) => format!("{call}-d {}", quoted(&json!(body).to_string())),
        Source::AfterUpload(body) => format!("{call}-d @- <<END\n{}\nEND", expandable(&json!(body).to_string())),
    }
}

fn redacted(body: &Map<String, Value>, definition: &Definition) -> Map<String, Value> {
    let secrets = &definition.secrets;
    let shown = |(name, value): (&String, &Value)| {
        let kind = SourceKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        let is_content = secrets.content.contains(name) || kind.is_some_and(SourceKind::is_inline);
        let shown = match value.as_str() {
            Some(url) if kind.is_some_and(SourceKind::is_address) => json!(redact_url(url)),
            Some(_) if secrets.values.contains(name) => json!("[redacted]"),
            Some(content) if is_content && content.len() > MOST_INLINE_BYTES => json!("<p>…"),
            _ => value.clone(),
        };
        (name.clone(), shown)
    };
    let section = |(name, value): (&String, &Value)| {
        let value = value.as_object().map_or_else(|| value.clone(), |object| object.iter().map(shown).collect());
        (name.clone(), value)
    };
    body.iter().map(section).collect()
}

/// A text as a shell takes it for one word, with nothing in it that means anything.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text for a here-document whose `$id` the shell fills in, and nothing else.
fn expandable(text: &str) -> String {
    text.replace('\\', r"\\")
        .replace('`', r"\`")
        .replace('$', r"\$")
        .replace(r#""uploadId":"\$id""#, r#""uploadId":"$id""#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill::domain::catalogue::Catalogue;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn of(slug: &str, body: Value, file: Option<File<'_>>) -> String {
        let catalogue = Catalogue::load().unwrap();
        command("https://api.example", &catalogue.find(slug).unwrap().definition, body.as_object().unwrap(), file)
    }

    /// Runs a command line in a real shell, in which `curl` and `jq` say what they were called with.
    fn run(script: &str) -> String {
        let stubs = "curl() { for a in \"$@\"; do printf '<%s>' \"$a\" >&2; if [ \"$a\" = @- ]; then cat >&2; fi; done; \
                     echo >&2; echo '{}'; }\njq() { case $2 in *.id) echo upl_1;; *) echo https://put.example;; esac; }\n\
                     wc() { echo 7; }\nDOCMILL_KEY=key\n: > \"it's.csv\"\n";
        let scratch = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh")
            .current_dir(scratch.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        shell.stdin.take().unwrap().write_all(format!("{stubs}{script}\n").as_bytes()).unwrap();
        let output = shell.wait_with_output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    }

    #[test]
    fn a_shell_reads_the_very_body() {
        let body = json!({"input": {"html": "<p class=\"a\">it's $HOME `date` \\n</p>"}, "options": {"scale": 1.5}});
        let said = run(&of("html-to-pdf", body.clone(), None));
        assert!(said.contains("<https://api.example/v1/tools/html-to-pdf/jobs>"), "{said}");
        assert!(said.contains("<Authorization: Bearer key>") && said.contains(&format!("<{body}>")), "{said}");
    }

    #[test]
    fn a_file_is_announced_put_and_named() {
        let body = json!({"input": {"uploadId": "upl_0"}, "options": {"waitFor": {"expression": "$`\"x\\\""}}});
        let file = File { name: "it's.csv", content_type: "text/csv" };
        let said = run(&of("html-to-pdf", body.clone(), Some(file)));
        let lines: Vec<_> = said.lines().collect();
        assert!(lines[0].ends_with("<{\"contentType\": \"text/csv\", \"bytes\": 7}>"), "{said}");
        assert!(
            lines[1].contains("<https://put.example><-H><content-type: text/csv><--data-binary><@it's.csv>"),
            "{said}"
        );
        let sent = body.to_string().replace("upl_0", "upl_1");
        assert!(said.contains(&format!("<@->{sent}")), "{said}");
    }

    #[test]
    fn no_secret_is_in_it() {
        let body = json!({"input": {"sourceUrl": "https://a.example/x?sig=canary"}, "options": {"password": "canary"}});
        let shown = of("office-to-pdf", body, None);
        assert!(!shown.contains("canary") && shown.contains("$DOCMILL_KEY"), "{shown}");
    }
}
