//! `docmill fonts`.

use serde_json::json;

use super::{api, id, print_json, text, with_header};
use crate::api::Call;
use crate::api::transfer::Advance;
use crate::args::{FontsVerb, Globals};
use crate::catalogue;
use crate::failure::Outcome;
use crate::report;

pub async fn run(verb: FontsVerb, globals: &Globals) -> Outcome<()> {
    let api = api(globals)?;
    match verb {
        FontsVerb::List => {
            let answer = api.call(Call::get("/v1/fonts")).await?;
            let fonts = answer.body["fonts"].as_array().cloned().unwrap_or_default();
            if globals.json {
                fonts.iter().for_each(|font| print_json("font", font));
                return Ok(());
            }
            let rows = fonts.iter().map(|font| {
                let faces = font["faces"].as_array().into_iter().flatten().map(|face| text(face, "style"));
                vec![
                    text(font, "id"),
                    text(font, "family"),
                    faces.collect::<Vec<_>>().join(", "),
                    report::size(font["bytes"].as_u64().unwrap_or(0)),
                ]
            });
            report::table(&with_header(&["FONT", "FAMILY", "FACES", "SIZE"], rows.collect()));
        }
        FontsVerb::Add { files } => {
            for file in &files {
                let upload = api.upload(file, catalogue::media_type_of_path(file), &Advance::default()).await?;
                // The same font again changes nothing.
                let answer = api.call(Call::post("/v1/fonts", &json!({"uploadId": upload})).repeatable()).await?;
                let font = &answer.body["font"];
                if globals.json {
                    print_json("font", font);
                } else {
                    let was_there = if answer.status == 200 { " (was there already)" } else { "" };
                    report::to_stdout(&format!("{} {}{was_there}", text(font, "id"), text(font, "family")));
                }
            }
        }
        FontsVerb::Delete { fonts } => {
            for font in &fonts {
                api.call(Call::delete(format!("/v1/fonts/{}", id(font)?))).await?;
                if !globals.json {
                    report::to_stdout(&format!("{font} deleted"));
                }
            }
        }
    }
    Ok(())
}
