//! The form's request with curl alone. The code repeats its request while the job runs: the same Idempotency-Key gives the same job, and
//! each request waits.

use docmill_look::example::shell::quoted;
use serde_json::{Map, Value, json};

use super::File;

const AUTHORIZED: &str = "-H \"Authorization: Bearer $DOCMILL_KEY\" -H 'Content-Type: application/json'";
/// Constant for one run: a repeated request gets the same job.
const KEY: &str = "key=$(date +%s)-$$\n";
/// A function that uploads a file and prints its id.
const UPLOAD: &str = r#"upload() {
  link=$(curl -sS --fail-with-body "$DOCMILL_URL/v1/uploads" \
    -H "Authorization: Bearer $DOCMILL_KEY" -H 'Content-Type: application/json' \
    -d "$(jq -nc --arg type "$2" --argjson bytes "$(wc -c <"$1")" '{contentType: $type, bytes: $bytes}')")
  curl -sS --fail-with-body -o /dev/null -X PUT "$(printf %s "$link" | jq -r .upload.url)" \
    -H "content-type: $2" -H 'if-none-match: *' --data-binary "@$1"
  printf %s "$link" | jq -r .upload.id
}
"#;
/// What follows the function `convert` if it prints the job: waits for it, and saves its result under its own name.
const SAVE: &str = r#"while job=$(convert) && printf %s "$job" | jq -e '.job.status | IN("queued", "processing")' >/dev/null; do :; done
printf %s "$job" | jq -e .download >/dev/null || ! printf '%s\n' "$job"
curl -sS --fail -o "$(printf %s "$job" | jq -r .download.filename)" "$(printf %s "$job" | jq -r .download.url)""#;

/// `direct` is the file that the result itself is saved as, and its type; otherwise, a link leads to the result.
pub(super) fn code(
    slug: &str,
    body: &Map<String, Value>,
    files: &[File<'_>],
    direct: Option<(String, &str)>,
) -> String {
    let upload = |(number, file): (usize, &File<'_>)| {
        format!("id{number}=$(upload {} {})\n", quoted(file.name), quoted(file.content_type))
    };
    let uploads: String = files.iter().enumerate().map(upload).collect();
    let function = if files.is_empty() { "" } else { UPLOAD };
    format!("{function}{uploads}{KEY}{}", job(slug, &json!(body).to_string(), !files.is_empty(), direct))
}

fn job(slug: &str, body: &str, has_uploads: bool, direct: Option<(String, &str)>) -> String {
    let (data, document) = if has_uploads {
        ("-d @- <<END".to_owned(), format!("\n{}\nEND", expandable(body)))
    } else {
        (format!("-d {}", quoted(body)), String::new())
    };
    let url = format!("\"$DOCMILL_URL/v1/tools/{slug}/jobs\"");
    let headers = format!("{AUTHORIZED} \\\n    -H \"Idempotency-Key: $key\" -H 'Prefer: wait=25'");
    match direct {
        Some((file, content_type)) => format!(
            "convert() {{\n  curl -sS --fail-with-body -L -o {0} -w '%{{http_code}}' {url} \\\n    \
             {headers} -H 'Accept: {content_type}' \\\n    {data}{document}\n}}\n\
             while status=$(convert) && [ \"$status\" = 202 ]; do :; done\n\
             [ \"$status\" = 200 ] || ! cat {0}",
            quoted(&file),
        ),
        None => format!(
            "convert() {{\n  curl -sS --fail-with-body {url} \\\n    {headers} \\\n    {data}{document}\n}}\n{SAVE}"
        ),
    }
}

/// A text for a here-document in which the shell only replaces the ids of uploads.
fn expandable(text: &str) -> String {
    let text = text.replace('\\', r"\\").replace('`', r"\`").replace('$', r"\$");
    text.replace(r#""uploadId":"\$upload"#, r#""uploadId":"$id"#)
}
