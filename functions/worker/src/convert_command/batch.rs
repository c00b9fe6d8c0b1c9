//! `worker convert-each`: one process converts what standard input asks for, like a Lambda environment.
//!
//! Each line is `{"tool", "in", "out", "options"?, "then"?, "keepSignatures"?, "password"?}`; `in` is one source or a list. The reply is also one line:
//! `{"convertMs", "engine", "output", "outputs", "warnings"}` or `{"error": {"code", "message"}}`. An error does not end the process.
//! For `docmill --local`, benchmarks and soak tests.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use docmill_confine::scratch::Scratch;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::request::JobRequest;
use docmill_domain::tool::EngineKind;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Args, EngineArgs, Input, Refused, catalogue, convert, converter, engines_of, keep, request, rounded_millis,
    run_to_the_end,
};
use crate::converter::Converter;

/// The arguments of `worker convert-each`.
#[derive(Debug, clap::Args)]
pub struct BatchArgs {
    /// End at once when the parent process ends, even during a conversion.
    #[arg(long)]
    until_parent_ends: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// A line of standard input.
#[derive(Debug, Deserialize)]
struct Line {
    tool: String,
    #[serde(rename = "in")]
    source: Sources,
    out: PathBuf,
    options: Option<Value>,
    then: Option<Value>,
    #[serde(rename = "keepSignatures", default)]
    keep_signatures: bool,
    password: Option<String>,
}

/// One source, or several.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Sources {
    One(String),
    Several(Vec<String>),
}

impl BatchArgs {
    /// The command that converts this line alone.
    fn for_line(&self, line: &str) -> Result<Args, Refused> {
        let line: Line = serde_json::from_str(line).map_err(|error| Refused::new("invalid_json", error.to_string()))?;
        Ok(Args {
            tool: line.tool,
            fonts: Vec::new(),
            sources: match line.source {
                Sources::One(source) => vec![source],
                Sources::Several(sources) => sources,
            },
            then: line.then.unwrap_or_else(|| json!([])).to_string(),
            keep_signatures: line.keep_signatures,
            password: line.password,
            out: line.out,
            options: line.options.unwrap_or_else(|| json!({})).to_string(),
            repeat: 1,
            json: true,
            test: false,
            engines: self.engines.clone(),
        })
    }
}

/// Serves standard input until its end. Exit code 1 when standard input or output can no longer be used, or this build has no
/// catalogue of tools.
pub fn run(args: &BatchArgs) -> ExitCode {
    if args.until_parent_ends
        && let Err(error) = docmill_confine::end_with_parent()
    {
        eprintln!("worker: {error}");
        return ExitCode::FAILURE;
    }
    // Loaded once, since the schemas of tools are compiled when they are first used.
    let catalogue = match catalogue() {
        Ok(catalogue) => catalogue,
        Err(refused) => {
            eprintln!("{}", refused.view());
            return ExitCode::FAILURE;
        }
    };
    if run_to_the_end(serve(args, &catalogue)).is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Nothing else runs while it waits for a line, like in an idle environment.
async fn serve(args: &BatchArgs, catalogue: &Catalogue) -> io::Result<()> {
    let mut converters = Converters::default();
    for line in io::stdin().lock().lines() {
        let answer = match convert_line(&mut converters, catalogue, args, &line?).await {
            Ok(report) => report,
            Err(refused) => refused.view(),
        };
        writeln!(io::stdout(), "{answer}")?;
        converters.get_ready().await;
    }
    Ok(())
}

async fn convert_line(
    converters: &mut Converters,
    catalogue: &Catalogue,
    args: &BatchArgs,
    line: &str,
) -> Result<Value, Refused> {
    let args = args.for_line(line)?;
    let inputs = Input::read_all(&args)?;
    let (request, mut warnings) = request(&args, &inputs, catalogue)?;
    let converter = converters.of(&args, &request)?;
    // Removed before the answer: whoever has it may end this process.
    let scratch = Scratch::new()?;
    let converted = convert(converter, &inputs, &request, &[], &args, scratch.path()).await?;
    let mut answer = keep(&converted, &args.out)?;
    warnings.extend(converted.warnings);
    answer["convertMs"] = json!(rounded_millis(converted.convert));
    answer["warnings"] = json!(warnings);
    Ok(answer)
}

/// Converters with the engines that they keep warm. Tools with the same engines share one, so that their number, and that of their
/// processes, does not grow with every tool.
#[derive(Default)]
struct Converters(Vec<(HashSet<EngineKind>, Converter)>);

impl Converters {
    fn of(&mut self, args: &Args, request: &JobRequest) -> Result<&Converter, Refused> {
        let wanted = engines_of(request);
        let at = match self.0.iter().position(|(warm, _)| wanted.is_subset(warm)) {
            Some(at) => at,
            None => {
                let converter = converter(&args.engines, wanted.clone(), catalogue()?)?;
                self.0.push((wanted, converter));
                self.0.len() - 1
            }
        };
        self.0.get(at).map(|(_, converter)| converter).ok_or_else(|| Refused::invalid("no converter"))
    }

    async fn get_ready(&self) {
        for (_, converter) in &self.0 {
            converter.engines.get_ready().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(allow: &str) -> BatchArgs {
        let engines = EngineArgs { allow: allow.into(), conversion_seconds: 9, libreoffice: "/lo".into() };
        BatchArgs { until_parent_ends: false, engines }
    }

    #[test]
    fn a_line_becomes_the_command_that_would_convert_it_alone() {
        let batch = batch("127.0.0.1:80");
        let line = r#"{"tool": "html-to-pdf", "in": "a.html", "out": "b.pdf", "options": {"renderMode": "basic"}, "password": "x"}"#;
        let args = batch.for_line(line).unwrap();
        assert_eq!(
            (args.tool.as_str(), args.sources.as_slice(), args.out),
            ("html-to-pdf", ["a.html".to_owned()].as_slice(), "b.pdf".into())
        );
        assert_eq!((args.options.as_str(), args.repeat), (r#"{"renderMode":"basic"}"#, 1));
        assert_eq!(args.password.as_deref(), Some("x"));
        assert_eq!((args.engines.allow.as_str(), args.engines.conversion_seconds), ("127.0.0.1:80", 9));
        assert_eq!(args.engines.libreoffice, PathBuf::from("/lo"));
        assert_eq!(batch.for_line("{}").unwrap_err().code, "invalid_json");
    }

    #[test]
    fn tools_of_pdfs_share_the_converter_of_any_other_tool() {
        let (batch, catalogue) = (batch(""), catalogue().unwrap());
        let wanted = |tool: &str| {
            let args = batch.for_line(&json!({"tool": tool, "in": "/dev/null", "out": "b"}).to_string()).unwrap();
            let inputs = Input::read_all(&args).unwrap();
            engines_of(&request(&args, &inputs, &catalogue).unwrap().0)
        };
        let (office, browser) = (wanted("office-to-pdf"), wanted("html-to-pdf"));
        for tool in ["compress-pdf", "pdf-to-text"] {
            assert!(wanted(tool).is_subset(&office) && wanted(tool).is_subset(&browser), "{tool}");
        }
        assert!(wanted("thumbnail").is_subset(&office) && !browser.is_subset(&office));
    }

    #[test]
    fn fuzz_lines_of_convert_each() {
        let batch = batch("");
        docmill_fuzz::fuzz("convert-each", &[], |bytes| drop(batch.for_line(&String::from_utf8_lossy(bytes))));
    }
}
