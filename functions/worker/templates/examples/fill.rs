//! Fills a template: `cargo run -p docmill-templates --example fill -- TEMPLATE DATA.json RESULT`.
//!
//! With `-` for the data, it is filled with the example of the data that it expects.

use std::error::Error;
use std::time::Instant;

use docmill_templates::{Failure, Format, Options, Template};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [template, data, result] = arguments.as_slice() else { return Err("TEMPLATE DATA.json RESULT".into()) };
    let format = docmill_formats::Format::from_filename(template).and_then(Format::of);
    let format = format.ok_or("the format is unknown")?;
    let bytes = std::fs::read(template)?;
    let started = Instant::now();
    let template = Template::open(bytes, format, Options::default())?;
    eprintln!("opened in {:?}", started.elapsed());
    let data = if data == "-" { template.expected().example } else { serde_json::from_slice(&std::fs::read(data)?)? };
    let started = Instant::now();
    let rendered = template.render(&data).inspect_err(|failure| {
        if let Failure::Template(problems) = failure {
            eprintln!("{problems:#?}");
        }
    })?;
    eprintln!("filled in {:?}; {:?}", started.elapsed(), rendered.warnings);
    std::fs::write(result, rendered.bytes)?;
    Ok(())
}
