//! Code that does the same as a form and saves the result, for a shell, Python and Node. The key comes from the environment.
//!
//! The code repeats its request while the job runs: the same Idempotency-Key gives the same job, and each request waits.

use docmill::domain::catalogue::{Catalogue, Tool};
use docmill::domain::source::{SOURCES, SourceKind, SourceProperty, redact_url};
use docmill::domain::tool::{Definition, OutputFormat};
use docmill_look::code::Tab;
use docmill_look::highlight::Syntax;
use serde_json::{Map, Value, json};

/// Longer HTML is shortened.
const MOST_INLINE_BYTES: usize = 2000;
/// Placeholder, with a number, for an upload's id in a body.
pub const UPLOAD: &str = "$upload";
const STEPS: &str = "then";
/// Placeholder for a password or header value.
const SECRET: &str = "<secret>";

/// A file of the form.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub name: &'a str,
    pub content_type: &'a str,
}

/// The parts of the code. Secrets in the body are replaced.
#[derive(Clone, Debug)]
pub struct Recipe<'a> {
    /// The API's address.
    base: &'a str,
    path: String,
    body: Map<String, Value>,
    files: &'a [File<'a>],
    /// The job's result if it is known to be a single file that is not JSON, since JSON could be confused with the job itself.
    result: Option<&'a OutputFormat>,
}

impl<'a> Recipe<'a> {
    /// Each of `files` is an upload, in the order of the sources.
    pub fn new(
        base: &'a str,
        catalogue: &'a Catalogue,
        tool: &'a Tool,
        body: &Map<String, Value>,
        files: &'a [File<'a>],
    ) -> Self {
        let definition = &tool.definition;
        let result = result(catalogue, tool, body);
        let mut body = redacted(body, definition);
        redact_steps(&mut body, catalogue);
        let ids: Vec<_> = (0..files.len()).map(|number| json!(format!("{UPLOAD}{number}"))).collect();
        if let Some(input) =
            body.get_mut("input").and_then(Value::as_object_mut).filter(|input| !ids.is_empty() && !has_ids(input))
        {
            if definition.sources.may_be_listed() {
                // All have the same password and headers.
                let mut first =
                    input.get(SOURCES).and_then(|sources| sources[0].as_object().cloned()).unwrap_or_default();
                first.remove(SourceProperty::Filename.as_str());
                let source = |id: Value| {
                    let mut source = first.clone();
                    source.insert("uploadId".to_owned(), id);
                    source
                };
                let sources: Vec<_> = ids.into_iter().map(source).collect();
                input.insert(SOURCES.to_owned(), json!(sources));
            } else {
                input.insert("uploadId".to_owned(), ids[0].clone());
            }
        }
        Self { base, path: format!("/v1/tools/{}/jobs", definition.slug), body, files, result }
    }

    pub fn tabs(&self) -> Vec<Tab> {
        vec![
            Tab { label: "Python", syntax: Syntax::Python, code: self.python() },
            Tab { label: "Node", syntax: Syntax::TypeScript, code: self.node() },
            Tab { label: "curl", syntax: Syntax::Shell, code: self.curl() },
        ]
    }

    fn curl(&self) -> String {
        let upload = |(number, file): (usize, &File<'_>)| {
            format!("id{number}=$(upload {} {})\n", quoted(file.name), quoted(file.content_type))
        };
        let uploads: String = self.files.iter().enumerate().map(upload).collect();
        let function = if self.files.is_empty() { String::new() } else { self.curl_upload() };
        format!("{function}{uploads}{KEY_OF_SHELL}{}", self.curl_job())
    }

    fn curl_job(&self) -> String {
        let body = json!(self.body).to_string();
        let url = quoted(&format!("{}{}", self.base, self.path));
        let (data, document) = if self.files.is_empty() {
            (format!("-d {}", quoted(&body)), String::new())
        } else {
            ("-d @- <<END".to_owned(), format!("\n{}\nEND", expandable(&body)))
        };
        let headers = format!("{AUTHORIZED} \\\n    -H \"Idempotency-Key: $key\" -H 'Prefer: wait=25'");
        match self.result {
            Some(OutputFormat { content_type, .. }) => format!(
                "convert() {{\n  curl -sS --fail-with-body -L -o {0} -w '%{{http_code}}' {url} \\\n    \
                 {headers} -H 'Accept: {content_type}' \\\n    {data}{document}\n}}\n\
                 while status=$(convert) && [ \"$status\" = 202 ]; do :; done\n\
                 [ \"$status\" = 200 ] || ! cat {0}",
                quoted(&self.target()),
            ),
            None => format!(
                "convert() {{\n  curl -sS --fail-with-body {url} \\\n    {headers} \\\n    {data}{document}\n}}\n\
                 while job=$(convert) && printf %s \"$job\" | jq -e '.job.status | IN(\"queued\", \"processing\")' >/dev/null; do :; done\n\
                 printf %s \"$job\" | jq -e .download >/dev/null || ! printf '%s\\n' \"$job\"\n\
                 curl -sS --fail -o \"$(printf %s \"$job\" | jq -r .download.filename)\" \"$(printf %s \"$job\" | jq -r .download.url)\"",
            ),
        }
    }

    /// The file that the shell writes: the requested name, the first source's, or `result`.
    fn target(&self) -> String {
        if let Some(name) = self.body.get("options").and_then(|options| options["filename"].as_str()) {
            return name.to_owned();
        }
        let stem = self.files.first().and_then(|file| file.name.rsplit_once('.')).map_or("result", |(stem, _)| stem);
        format!("{stem}.{}", self.result.map_or("", |result| &result.extension))
    }

    /// A shell function that uploads a file and prints its id.
    fn curl_upload(&self) -> String {
        format!(
            "upload() {{\n  link=$(curl -sS --fail-with-body {} \\\n    {AUTHORIZED} \\\n    \
                -d \"$(jq -nc --arg type \"$2\" --argjson bytes \"$(wc -c <\"$1\")\" '{{contentType: $type, bytes: $bytes}}')\")\n  \
             curl -sS --fail-with-body -o /dev/null -X PUT \"$(printf %s \"$link\" | jq -r .upload.url)\" \\\n    \
                -H \"content-type: $2\" -H 'if-none-match: *' --data-binary \"@$1\"\n  \
             printf %s \"$link\" | jq -r .upload.id\n}}\n",
            quoted(&format!("{}/v1/uploads", self.base)),
        )
    }

    fn python(&self) -> String {
        let upload = if self.files.is_empty() {
            String::new()
        } else {
            "def upload(path, kind):\n    \
                 with open(path, \"rb\") as file:\n        \
                     content = file.read()\n    \
                 link = post(\"/v1/uploads\", {\"contentType\": kind, \"bytes\": len(content), \"filename\": path})[\"upload\"]\n    \
                 urllib.request.urlopen(urllib.request.Request(link[\"url\"], content, link[\"headers\"], method=\"PUT\"))\n    \
                 return link[\"id\"]\n\n"
                .to_owned()
        };
        format!(
            "import json, os, sys, urllib.request, uuid\n\n\
             key = str(uuid.uuid4())\n\n\
             def post(path, body, **headers):\n    \
                 headers |= {{\"Authorization\": \"Bearer \" + os.environ[\"DOCMILL_KEY\"], \"Content-Type\": \"application/json\"}}\n    \
                 request = urllib.request.Request({} + path, json.dumps(body).encode(), headers)\n    \
                 with urllib.request.urlopen(request) as response:\n        \
                     return json.load(response)\n\n\
             {upload}job = {}\n\
             while True:\n    \
                 answer = post({}, job, **{{\"Idempotency-Key\": key, \"Prefer\": \"wait=25\"}})\n    \
                 if answer[\"job\"][\"status\"] not in (\"queued\", \"processing\"):\n        \
                     break\n\
             if \"download\" not in answer:\n    \
                 sys.exit(answer[\"job\"][\"error\"][\"message\"])\n\
             urllib.request.urlretrieve(answer[\"download\"][\"url\"], answer[\"download\"][\"filename\"])\n",
            json!(self.base),
            self.literal(true, ""),
            json!(self.path),
        )
    }

    fn node(&self) -> String {
        let upload = if self.files.is_empty() {
            String::new()
        } else {
            "async function upload(path, contentType) {\n  \
               const content = await readFile(path);\n  \
               const { upload: link } = await post(\"/v1/uploads\", { contentType, bytes: content.length, filename: path });\n  \
               const stored = await fetch(link.url, { method: \"PUT\", headers: link.headers, body: content });\n  \
               if (!stored.ok) throw new Error(await stored.text());\n  \
               return link.id;\n}\n\n"
                .to_owned()
        };
        let functions = if self.files.is_empty() { "writeFile" } else { "readFile, writeFile" };
        format!(
            "import {{ {functions} }} from \"node:fs/promises\";\n\n\
             const key = crypto.randomUUID();\n\n\
             async function post(path, body, headers = {{}}) {{\n  \
               const authorization = `Bearer ${{process.env.DOCMILL_KEY}}`;\n  \
               const response = await fetch({} + path, {{\n    \
                 method: \"POST\",\n    \
                 headers: {{ authorization, \"content-type\": \"application/json\", ...headers }},\n    \
                 body: JSON.stringify(body),\n  }});\n  \
               if (!response.ok) throw new Error(await response.text());\n  \
               return response.json();\n}}\n\n\
             {upload}const job = {};\n\
             let answer;\n\
             do {{\n  \
               answer = await post({}, job, {{ \"idempotency-key\": key, prefer: \"wait=25\" }});\n\
             }} while ([\"queued\", \"processing\"].includes(answer.job.status));\n\
             if (!answer.download) throw new Error(answer.job.error.message);\n\
             const file = await fetch(answer.download.url);\n\
             await writeFile(answer.download.filename, Buffer.from(await file.arrayBuffer()));\n",
            json!(self.base),
            self.literal(false, "await "),
            json!(self.path),
        )
    }

    /// The body as a literal with a call for each upload.
    fn literal(&self, python: bool, call: &str) -> String {
        let mut text = source(&json!(self.body), python);
        for (number, file) in self.files.iter().enumerate() {
            let upload = format!("{call}upload({}, {})", json!(file.name), json!(file.content_type));
            text = text.replace(&json!(format!("{UPLOAD}{number}")).to_string(), &upload);
        }
        text
    }
}

const AUTHORIZED: &str = "-H \"Authorization: Bearer $DOCMILL_KEY\" -H 'Content-Type: application/json'";

/// Constant for one run: a repeated request gets the same job.
const KEY_OF_SHELL: &str = "key=$(date +%s)-$$\n";

/// The last step's result, if it is always a single file and not JSON.
fn result<'a>(catalogue: &'a Catalogue, tool: &'a Tool, body: &Map<String, Value>) -> Option<&'a OutputFormat> {
    let last = body.get(STEPS).and_then(Value::as_array).and_then(|steps| steps.last());
    let (definition, options) = match last {
        Some(step) => (&catalogue.find(step["toolSlug"].as_str()?)?.definition, step.get("options")),
        None => (&tool.definition, body.get("options")),
    };
    let none = Map::new();
    let options = options.and_then(Value::as_object).unwrap_or(&none);
    let format = definition.output(options);
    (!definition.several_outputs.with(options) && format.format != "json").then_some(format)
}

/// Redacts each step's secrets according to its tool.
fn redact_steps(body: &mut Map<String, Value>, catalogue: &Catalogue) {
    for step in body.get_mut(STEPS).and_then(Value::as_array_mut).into_iter().flatten() {
        let tool = step["toolSlug"].as_str().and_then(|slug| catalogue.find(slug));
        if let (Some(tool), Some(step)) = (tool, step.as_object_mut()) {
            *step = redacted(step, &tool.definition);
        }
    }
}

fn redacted(body: &Map<String, Value>, definition: &Definition) -> Map<String, Value> {
    let section = |(name, value): (&String, &Value)| {
        let value =
            value.as_object().map_or_else(|| value.clone(), |object| json!(redacted_section(object, definition)));
        (name.clone(), value)
    };
    body.iter().map(section).collect()
}

fn redacted_section(section: &Map<String, Value>, definition: &Definition) -> Map<String, Value> {
    let secrets = &definition.secrets;
    let opens =
        |name: &str| matches!(SourceProperty::of(name), Some(SourceProperty::Password | SourceProperty::Headers));
    let shown = |(name, value): (&String, &Value)| {
        let kind = SourceKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        let is_content = secrets.content.contains(name) || kind.is_some_and(SourceKind::is_inline);
        let shown = match (value.as_str(), value.as_array(), value.as_object()) {
            (Some(url), ..) if kind.is_some_and(SourceKind::is_address) => json!(redact_url(url)),
            (Some(content), ..) if is_content && content.len() > MOST_INLINE_BYTES => json!("<p>…"),
            (_, Some(sources), _) if name == SOURCES => {
                let sources = sources.iter().filter_map(Value::as_object);
                sources.map(|source| json!(redacted_section(source, definition))).collect()
            }
            (.., Some(values)) if opens(name) => values.keys().map(|name| (name.clone(), json!(SECRET))).collect(),
            _ if secrets.values.contains(name) || opens(name) => json!(SECRET),
            _ => value.clone(),
        };
        (name.clone(), shown)
    };
    section.iter().map(shown).collect()
}

/// A value as a Python or JavaScript literal.
fn source(value: &Value, python: bool) -> String {
    match value {
        Value::Object(object) => {
            let member = |(name, value): (&String, &Value)| format!("{}: {}", json!(name), source(value, python));
            format!("{{{}}}", object.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| source(item, python)).collect::<Vec<_>>().join(", "))
        }
        Value::Bool(true) if python => "True".to_owned(),
        Value::Bool(false) if python => "False".to_owned(),
        Value::Null if python => "None".to_owned(),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// A text as one shell word, with all special characters quoted.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text for a here-document in which the shell only replaces the ids of uploads.
fn expandable(text: &str) -> String {
    let text = text.replace('\\', r"\\").replace('`', r"\`").replace('$', r"\$");
    text.replace(r#""uploadId":"\$upload"#, r#""uploadId":"$id"#)
}

/// Whether the sources have the uploads' placeholders already.
fn has_ids(input: &Map<String, Value>) -> bool {
    let is_placeholder = |source: &Value| source["uploadId"].as_str().is_some_and(|id| id.starts_with(UPLOAD));
    input.get(SOURCES).and_then(Value::as_array).is_some_and(|sources| sources.iter().any(is_placeholder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn of(slug: &str, body: Value, files: &[File<'_>]) -> Vec<String> {
        let catalogue = Catalogue::load().unwrap();
        let tool = catalogue.find(slug).unwrap();
        let recipe = Recipe::new("https://api.example", &catalogue, tool, body.as_object().unwrap(), files);
        recipe.tabs().into_iter().map(|tab| tab.code).collect()
    }

    /// Runs a program with this standard input and returns its output.
    fn run(program: &[&str], script: &str) -> String {
        let scratch = tempfile::tempdir().unwrap();
        std::fs::write(scratch.path().join("it's.csv"), "a,b\n1,2").unwrap();
        let mut process = Command::new(program[0])
            .args(&program[1..])
            .current_dir(scratch.path())
            .env("DOCMILL_KEY", "key")
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        process.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
        String::from_utf8(process.wait_with_output().unwrap().stderr).unwrap()
    }

    /// A real shell with a fake `curl` that prints its arguments and answers like the API: the first time, the job is still
    /// running.
    fn shell(script: &str) -> String {
        let stub = r#"curl() {
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

    /// A real Python that prints requests instead of sending them.
    fn python(script: &str) -> String {
        let stub = r#"
import sys, urllib.request, io
answers = [b'{"job": {"status": "processing"}}', b'{"job": {"status": "completed"}, "download": {"url": "https://get.example", "filename": "a.pdf"}}']
def said(request):
    print(request.full_url, request.data, request.header_items(), file=sys.stderr)
    upload = b'{"upload": {"id": "upl_1", "url": "https://put.example", "headers": {}}}'
    return io.BytesIO(answers.pop(0) if request.full_url.endswith("/jobs") else upload)
urllib.request.urlopen = said
urllib.request.urlretrieve = lambda *words: print(words, file=sys.stderr)
"#;
        run(&["python3", "-"], &format!("{stub}{script}\n"))
    }

    #[test]
    fn a_shell_and_python_read_the_exact_body() {
        let body = json!({"input": {"html": "<p class=\"a\">it's $HOME `date` \\n</p>"}, "options": {"tagged": false}});
        let [script, _, curl] = &of("html-to-pdf", body.clone(), &[])[..] else { panic!("three languages") };
        let said = shell(curl);
        assert!(said.contains("<https://api.example/v1/tools/html-to-pdf/jobs>"), "{said}");
        assert!(said.contains("<Authorization: Bearer key>") && said.contains(&format!("<{body}>")), "{said}");
        let said = python(script);
        assert!(said.contains(r#"\'s $HOME `date` \\\\n</p>"}"#) && said.contains(r#""tagged": false"#), "{said}");
        assert!(said.contains("'Bearer key'"), "{said}");
    }

    #[test]
    fn a_request_is_repeated_with_the_same_key_until_the_job_has_ended() {
        let body = json!({"input": {"sourceUrl": "https://a.example/x.pdf"}});
        for slug in ["compress-pdf", "split-pdf"] {
            let [script, _, curl] = &of(slug, body.clone(), &[])[..] else { panic!("three languages") };
            for said in [shell(curl), python(script)] {
                let keys: Vec<_> = said
                    .to_lowercase()
                    .match_indices("idempotency-key")
                    .map(|(at, _)| said[at..at + 30].to_owned())
                    .collect();
                assert_eq!(keys.len(), 2, "{said}");
                assert_eq!(keys[0], keys[1], "{said}");
            }
        }
    }

    #[test]
    fn a_result_that_may_be_several_files_has_its_own_name() {
        let body = json!({"input": {"sourceUrl": "https://a.example/x.docx"}, "then": [{"toolSlug": "pdf-to-images"}]});
        for (slug, body) in [("office-to-pdf", body), ("inspect-document", json!({"input": {}}))] {
            let [script, _, curl] = &of(slug, body, &[])[..] else { panic!("three languages") };
            assert!(!curl.contains("Accept:"), "{curl}");
            let said = shell(curl);
            assert!(said.ends_with("<-sS><--fail><-o><a.zip><https://get.example>\n"), "{said}");
            assert!(python(script).ends_with("('https://get.example', 'a.pdf')\n"));
        }
        let step = json!({"input": {}, "then": [{"toolSlug": "thumbnail", "options": {"format": "jpeg"}}]});
        let curl = &of("office-to-pdf", step, &[])[2];
        assert!(curl.contains("-o 'result.jpg'") && curl.contains("Accept: image/jpeg"), "{curl}");
    }

    #[test]
    fn a_file_is_announced_uploaded_and_named() {
        let body = json!({"input": {"uploadId": "upl_0"}, "options": {"waitFor": {"expression": "$`\"x\\\""}}});
        let file = File { name: "it's.csv", content_type: "text/csv" };
        let [script, node, curl] = &of("html-to-pdf", body.clone(), &[file])[..] else { panic!("three languages") };
        let said = shell(curl);
        let lines: Vec<_> = said.lines().collect();
        assert!(lines[0].ends_with(r#"<{"contentType":"text/csv","bytes":7}>"#), "{said}");
        assert!(
            lines[1].contains(
                "<https://put.example><-H><content-type: text/csv><-H><if-none-match: *><--data-binary><@it's.csv>"
            ),
            "{said}"
        );
        let sent = body.to_string().replace("upl_0", "upl_1");
        assert!(said.contains(&format!("<@->{sent}")), "{said}");
        let said = python(script);
        assert!(
            said.contains("https://put.example b'a,b\\n1,2'") && said.contains("\"uploadId\": \"upl_1\""),
            "{said}"
        );
        assert!(node.contains("{\"uploadId\": await upload(\"it's.csv\", \"text/csv\")}"), "{node}");
    }

    #[test]
    fn the_code_contains_no_secret() {
        let protect =
            json!({"toolSlug": "protect-pdf", "options": {"userPassword": "canary", "ownerPassword": "canary"}});
        let body = json!({"input": {"sourceUrl": "https://a.example/x?sig=canary"}, "options": {"password": "canary"}, "then": [protect]});
        for code in of("office-to-pdf", body, &[]) {
            assert!(!code.contains("canary") && code.contains("DOCMILL_KEY"), "{code}");
        }
    }
}
