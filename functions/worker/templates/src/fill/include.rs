//! Writes a sub-template at the place of its tag.

use super::{Filler, Writing};
use crate::data::Scope;
use crate::plain::Language;
use crate::problem::Failure;
use crate::rich;
use crate::subtemplates::{Content, DEEPEST};
use crate::tree::Target;

impl Filler<'_> {
    /// Tags that name none, or one that includes itself, are reported with the template.
    pub(super) fn include(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        name: &str,
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let Some(content) = self.library.and_then(|library| library.get(name)) else { return Ok(()) };
        if self.depth >= DEEPEST {
            return Ok(());
        }
        self.depth += 1;
        let written = self.content(writing, index, content, scope);
        self.depth -= 1;
        written
    }

    fn content(
        &mut self,
        writing: &mut Writing<'_>,
        index: usize,
        content: &Content,
        scope: &Scope<'_>,
    ) -> Result<(), Failure> {
        let part = content.part();
        let mut inner = Writing::new(part);
        inner.pictures = std::mem::take(&mut writing.pictures);
        let filled = self.nodes(&mut inner, &part.nodes, scope);
        writing.pictures = inner.pictures;
        filled?;
        // A cell may end with its table.
        writing.has_hidden = true;
        let language = match content {
            Content::Word(_) => {
                Self::moved(writing, &inner.text);
                return Ok(());
            }
            Content::Text(_, language) => *language,
        };
        let target = writing.part.tags.get(index).map(|written| &written.target);
        if let Some(Target::Rich { looks, .. }) = target {
            let html = rich::html(&inner.text, rich_language(language)).into_owned();
            return self.rich(writing, index, &html, |html| rich::paragraphs(html, looks));
        }
        if target == Some(&Target::Html) && language == Language::Markdown {
            return self.write(writing, &rich::html(&inner.text, rich::Language::Markdown));
        }
        Self::moved(writing, &inner.text);
        Ok(())
    }

    /// Its bytes are counted already.
    fn moved(writing: &mut Writing<'_>, text: &str) {
        writing.text.push_str(text);
    }
}

fn rich_language(language: Language) -> rich::Language {
    match language {
        Language::Html | Language::Name => rich::Language::Html,
        Language::Markdown => rich::Language::Markdown,
    }
}
