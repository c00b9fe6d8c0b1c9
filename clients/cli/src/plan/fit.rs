//! A file's name says its format: the recipe is made to fit the name, or the command is refused before anything is sent.

use std::path::Path;
use std::rc::Rc;

use super::inputs::Input;
use super::outputs::Place;
use super::recipe::Recipe;
use super::route;
use crate::catalogue;
use crate::failure::{Failure, Outcome};

/// The recipe whose result has the format that the output's name says, and what was added for that, for people.
pub(super) fn to_name(place: &Place, inputs: &[Input], recipe: Rc<Recipe>) -> Outcome<(Rc<Recipe>, Option<String>)> {
    let (Place::File(path), Some(wanted)) = (place, place.format()) else { return Ok((recipe, None)) };
    let first = inputs.first();
    let made = recipe.output(first).extension().to_owned();
    let is_archive = wanted == "zip" && recipe.makes_several(inputs.len());
    let depends = recipe.first.tool.definition.keeps_format;
    // What a source without a suffix becomes shows later.
    let is_unknown = depends && recipe.then.is_empty() && first.and_then(Input::format).is_none();
    if made == wanted || is_archive || is_unknown || !catalogue::is_format(&wanted) {
        return Ok((recipe, None));
    }
    if let Some(chosen) = recipe.with_format(&wanted) {
        return Ok((Rc::new(chosen), None));
    }
    match route::direct(&made, &wanted) {
        Some(step) => {
            let slug = &step.tool.definition.slug;
            let note = format!("{slug} is added: the result would be a {made}, and {} says {wanted}.", path.display());
            Ok((Rc::new(recipe.as_ref().clone().and_then(step)), Some(note)))
        }
        None => Err(mismatch(path, &made, &wanted, &recipe)),
    }
}

fn mismatch(path: &Path, made: &str, wanted: &str, recipe: &Recipe) -> Failure {
    let verb = catalogue::verb(recipe.last().tool);
    let better = path.with_extension(made);
    Failure::usage(format!("{} says {wanted}, but `{verb}` makes a {made} of this.", path.display()))
        .with_hint(format!("Name it -o {}, or add the tool that makes a {wanted} with --then.", better.display()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::args::JobArgs;

    /// The tools with their options, and what was added.
    type Fitted = (Vec<(String, Value)>, Option<String>);

    fn fitted(slug: &str, options: Value, source: &str, output: &str) -> Outcome<Fitted> {
        let options: Map<String, Value> = options.as_object().unwrap().clone();
        let recipe = Recipe::new(catalogue::find(slug).unwrap(), options, &JobArgs::default()).unwrap();
        let input = Input::File { path: source.into(), below: None, shown: source.into() };
        let place = Place::parse(Some(output)).unwrap();
        to_name(&place, &[input], Rc::new(recipe)).map(|(recipe, note)| {
            let steps = std::iter::once(&recipe.first).chain(&recipe.then);
            let steps = steps.map(|step| (step.tool.definition.slug.clone(), Value::Object(step.options.clone())));
            (steps.collect(), note)
        })
    }

    #[test]
    fn the_name_chooses_an_option_or_adds_a_step() {
        let (steps, note) = fitted("render-template", json!({"data": {}}), "inv.docx", "inv.pdf").unwrap();
        assert_eq!(steps[1], ("office-to-pdf".to_owned(), json!({})));
        assert!(note.unwrap().starts_with("office-to-pdf is added"));
        let (steps, note) = fitted("pdf-to-images", json!({}), "a.pdf", "a.webp").unwrap();
        assert_eq!((steps, note), (vec![("pdf-to-images".to_owned(), json!({"format": "webp"}))], None));
        let (steps, _) = fitted("extract-document", json!({}), "a.pdf", "a.md").unwrap();
        assert_eq!(steps, [("extract-document".to_owned(), json!({"format": "markdown"}))]);
        for (slug, source, output) in [
            ("office-to-pdf", "a.docx", "b.pdf"),
            ("split-pdf", "a.pdf", "b.zip"),
            ("render-template", "template", "b.pdf"),
            ("compress", "a.pdf", "b.backup"),
        ] {
            let (steps, note) = fitted(slug, json!({}), source, output).unwrap();
            assert_eq!((steps.len(), note), (1, None), "{slug}");
        }
    }

    #[test]
    fn a_name_that_no_step_can_make_true_is_refused() {
        let said = fitted("compress", json!({}), "a.pdf", "b.odt").unwrap_err().to_string();
        assert!(said.contains("b.odt says odt") && said.contains("-o b.pdf"), "{said}");
        let said = fitted("office-to-pdf", json!({}), "a.docx", "b.zip").unwrap_err().to_string();
        assert!(said.contains("b.zip says zip"), "{said}");
        // A format that was chosen is not changed.
        let said = fitted("pdf-to-images", json!({"format": "png"}), "a.pdf", "a.webp").unwrap_err().to_string();
        assert!(said.contains("makes a png"), "{said}");
    }
}
