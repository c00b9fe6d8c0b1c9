//! Code that does what a form does, and saves the result: for a shell, Python and Node, with the key left to the
//! environment.

use docmill::domain::source::{SourceKind, redact_url};
use docmill::domain::tool::Definition;
use docmill_look::code::Tab;
use serde_json::{Map, Value, json};

/// HTML over this size is shortened.
const MOST_INLINE_BYTES: usize = 2000;
/// Stands, with its number, for the id of an upload in a body.
const UPLOAD: &str = "$upload";

/// A file as the form knows it.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub name: &'a str,
    pub content_type: &'a str,
}

/// All that the code is made of. Secrets in the body are replaced.
#[derive(Clone, Debug)]
pub struct Recipe<'a> {
    /// The API's address.
    base: &'a str,
    path: String,
    body: Map<String, Value>,
    files: &'a [File<'a>],
    content_type: &'a str,
    target: String,
}

impl<'a> Recipe<'a> {
    /// Each of `files` stands for one upload, in the order of the sources.
    pub fn new(base: &'a str, definition: &'a Definition, body: &Map<String, Value>, files: &'a [File<'a>]) -> Self {
        let mut body = redacted(body, definition);
        let ids: Vec<_> = (0..files.len()).map(|number| json!(format!("{UPLOAD}{number}"))).collect();
        if let Some(input) = body.get_mut("input").and_then(Value::as_object_mut).filter(|_| !ids.is_empty()) {
            if definition.sources.are_several() {
                let sources: Vec<_> = ids.iter().map(|id| json!({"uploadId": id})).collect();
                input.insert("sources".to_owned(), json!(sources));
            } else {
                input.insert("uploadId".to_owned(), ids[0].clone());
            }
        }
        let stem = files.first().and_then(|file| file.name.rsplit_once('.')).map_or("result", |(stem, _)| stem);
        Self {
            base,
            path: format!("/v1/tools/{}/jobs", definition.slug),
            body,
            files,
            content_type: &definition.output_format.content_type,
            target: format!("{stem}.{}", definition.output_format.extension),
        }
    }

    pub fn tabs(&self) -> Vec<Tab> {
        vec![
            Tab { label: "curl", code: self.curl() },
            Tab { label: "Python", code: self.python() },
            Tab { label: "Node", code: self.node() },
        ]
    }

    fn curl(&self) -> String {
        let Self { base, path, content_type, .. } = self;
        let body = json!(self.body).to_string();
        let call = format!(
            "curl -sS --fail-with-body -L -o {} {} \\\n  {AUTHORIZED} \\\n  -H 'Prefer: wait=25' -H 'Accept: {content_type}' \\\n  ",
            quoted(&self.target),
            quoted(&format!("{base}{path}")),
        );
        if self.files.is_empty() {
            return format!("{call}-d {}", quoted(&body));
        }
        let upload = |(number, file): (usize, &File<'_>)| {
            format!("id{number}=$(upload {} {})\n", quoted(file.name), quoted(file.content_type))
        };
        let uploads: String = self.files.iter().enumerate().map(upload).collect();
        format!("{}{uploads}{call}-d @- <<END\n{}\nEND", self.curl_upload(), expandable(&body))
    }

    /// A function of the shell that uploads a file and says its id.
    fn curl_upload(&self) -> String {
        let member = |name: &str| format!("$(printf %s \"$link\" | sed 's/.*\"{name}\":\"\\([^\"]*\\)\".*/\\1/')");
        format!(
            "upload() {{\n  link=$(curl -sS --fail-with-body {} \\\n    {AUTHORIZED} \\\n    \
                -d '{{\"contentType\": \"'\"$2\"'\", \"bytes\": '\"$(wc -c <\"$1\")\"'}}')\n  \
             curl -sS --fail-with-body -o /dev/null -X PUT \"{}\" -H \"content-type: $2\" --data-binary \"@$1\"\n  \
             printf %s \"{}\"\n}}\n",
            quoted(&format!("{}/v1/uploads", self.base)),
            member("url"),
            member("id"),
        )
    }

    fn python(&self) -> String {
        let upload = if self.files.is_empty() {
            String::new()
        } else {
            "def upload(path, kind):\n    \
                 with open(path, \"rb\") as file:\n        \
                     content = file.read()\n    \
                 link = json.load(post(\"/v1/uploads\", {\"contentType\": kind, \"bytes\": len(content)}))[\"upload\"]\n    \
                 urllib.request.urlopen(urllib.request.Request(link[\"url\"], content, link[\"headers\"], method=\"PUT\"))\n    \
                 return link[\"id\"]\n\n"
                .to_owned()
        };
        format!(
            "import json, os, urllib.request\n\n\
             def post(path, body, **headers):\n    \
                 headers[\"Content-Type\"] = \"application/json\"\n    \
                 request = urllib.request.Request({} + path, json.dumps(body).encode(), headers)\n    \
                 request.add_unredirected_header(\"Authorization\", \"Bearer \" + os.environ[\"DOCMILL_KEY\"])\n    \
                 return urllib.request.urlopen(request)\n\n\
             {upload}job = {}\n\
             with post({}, job, Prefer=\"wait=25\", Accept={}) as response, open({}, \"wb\") as file:\n    \
                 file.write(response.read())\n",
            json!(self.base),
            self.literal(true, ""),
            json!(self.path),
            json!(self.content_type),
            json!(self.target),
        )
    }

    fn node(&self) -> String {
        let upload = if self.files.is_empty() {
            String::new()
        } else {
            "async function upload(path, contentType) {\n  \
               const content = await readFile(path);\n  \
               const announced = { contentType, bytes: content.length };\n  \
               const { upload: link } = await (await post(\"/v1/uploads\", announced)).json();\n  \
               await fetch(link.url, { method: \"PUT\", headers: link.headers, body: content });\n  \
               return link.id;\n}\n\n"
                .to_owned()
        };
        format!(
            "import {{ readFile, writeFile }} from \"node:fs/promises\";\n\n\
             async function post(path, body, headers = {{}}) {{\n  \
               const authorization = `Bearer ${{process.env.DOCMILL_KEY}}`;\n  \
               const response = await fetch({} + path, {{\n    \
                 method: \"POST\",\n    \
                 headers: {{ authorization, \"content-type\": \"application/json\", ...headers }},\n    \
                 body: JSON.stringify(body),\n  }});\n  \
               if (!response.ok) throw new Error(await response.text());\n  \
               return response;\n}}\n\n\
             {upload}const job = {};\n\
             const result = await post({}, job, {{ prefer: \"wait=25\", accept: {} }});\n\
             await writeFile({}, Buffer.from(await result.arrayBuffer()));\n",
            json!(self.base),
            self.literal(false, "await "),
            json!(self.path),
            json!(self.content_type),
            json!(self.target),
        )
    }

    /// The body as a literal, in which each upload is a call.
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

fn redacted(body: &Map<String, Value>, definition: &Definition) -> Map<String, Value> {
    let secrets = &definition.secrets;
    let shown = |(name, value): (&String, &Value)| {
        let kind = SourceKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        let is_content = secrets.content.contains(name) || kind.is_some_and(SourceKind::is_inline);
        let shown = match value.as_str() {
            Some(url) if kind.is_some_and(SourceKind::is_address) => json!(redact_url(url)),
            Some(_) if secrets.values.contains(name) => json!("<secret>"),
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

/// A value as a literal of Python or of JavaScript.
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

/// A text as one word of a shell, in which nothing has a special meaning.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A text for a here-document, in which the shell replaces the ids of uploads and nothing else.
fn expandable(text: &str) -> String {
    let text = text.replace('\\', r"\\").replace('`', r"\`").replace('$', r"\$");
    text.replace(r#""uploadId":"\$upload"#, r#""uploadId":"$id"#)
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill::domain::catalogue::Catalogue;
    use std::io::Write;
    use std::process::{Command, Stdio};

    fn of(slug: &str, body: Value, files: &[File<'_>]) -> Vec<String> {
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find(slug).unwrap().definition;
        let recipe = Recipe::new("https://api.example", definition, body.as_object().unwrap(), files);
        recipe.tabs().into_iter().map(|tab| tab.code).collect()
    }

    /// Runs a program with these lines as its standard input, and returns what it says.
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

    /// A real shell, in which `curl` says what it was called with, and answers as the API does.
    fn shell(script: &str) -> String {
        let stub = "curl() { for a in \"$@\"; do printf '<%s>' \"$a\" >&2; if [ \"$a\" = @- ]; then cat >&2; fi; done; \
                    echo >&2; case \" $* \" in *' PUT '*) ;; *) echo '{\"upload\":{\"id\":\"upl_1\",\"url\":\"https://put.example\"}}';; esac; }\n";
        run(&["sh"], &format!("{stub}{script}\n"))
    }

    /// A real Python, in which requests are said and not sent.
    fn python(script: &str) -> String {
        let stub = "import sys, urllib.request, io\n\
                    def said(request):\n    print(request.full_url, request.data, request.header_items(), file=sys.stderr)\n    \
                    return io.BytesIO(b'{\"upload\": {\"id\": \"upl_1\", \"url\": \"https://put.example\", \"headers\": {}}}')\n\
                    urllib.request.urlopen = said\n";
        run(&["python3", "-"], &format!("{stub}{script}\n"))
    }

    #[test]
    fn a_shell_and_python_read_the_very_body() {
        let body = json!({"input": {"html": "<p class=\"a\">it's $HOME `date` \\n</p>"}, "options": {"tagged": false}});
        let [curl, script, _] = &of("html-to-pdf", body.clone(), &[])[..] else { panic!("three languages") };
        let said = shell(curl);
        assert!(said.contains("<https://api.example/v1/tools/html-to-pdf/jobs>"), "{said}");
        assert!(said.contains("<Authorization: Bearer key>") && said.contains(&format!("<{body}>")), "{said}");
        let said = python(script);
        assert!(said.contains(r#"\'s $HOME `date` \\\\n</p>"}"#) && said.contains(r#""tagged": false"#), "{said}");
        assert!(said.contains("'Bearer key'"), "{said}");
    }

    #[test]
    fn a_file_is_announced_put_and_named() {
        let body = json!({"input": {"uploadId": "upl_0"}, "options": {"waitFor": {"expression": "$`\"x\\\""}}});
        let file = File { name: "it's.csv", content_type: "text/csv" };
        let [curl, script, node] = &of("html-to-pdf", body.clone(), &[file])[..] else { panic!("three languages") };
        let said = shell(curl);
        let lines: Vec<_> = said.lines().collect();
        assert!(lines[0].ends_with("<{\"contentType\": \"text/csv\", \"bytes\": 7}>"), "{said}");
        assert!(
            lines[1].contains("<https://put.example><-H><content-type: text/csv><--data-binary><@it's.csv>"),
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
    fn no_secret_is_in_it() {
        let body = json!({"input": {"sourceUrl": "https://a.example/x?sig=canary"}, "options": {"password": "canary"}});
        for code in of("office-to-pdf", body, &[]) {
            assert!(!code.contains("canary") && code.contains("DOCMILL_KEY"), "{code}");
        }
    }
}
