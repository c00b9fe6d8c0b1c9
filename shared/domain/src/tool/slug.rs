//! The names of the tools of this build.

use std::fmt;

/// A tool's name in paths and requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slug(&'static str);

/// The two files of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Files {
    pub(super) definition: &'static str,
    pub(super) options: &'static str,
}

macro_rules! tools {
    ($($name:ident $slug:literal,)+) => {
        #[allow(missing_docs, reason = "each is the tool of that name")]
        impl Slug {
            $(pub const $name: Self = Self($slug);)+

            /// In the order of the tools list.
            pub const ALL: &[Self] = &[$(Self::$name),+];
        }

        pub(super) const FILES: &[(Slug, Files)] = &[$((Slug::$name, Files {
            definition: include_str!(concat!("../../../tools/", $slug, ".json")),
            options: include_str!(concat!("../../../tools/", $slug, ".options.json")),
        })),+];
    };
}

tools! {
    OFFICE_TO_PDF "office-to-pdf",
    CONVERT_OFFICE "convert-office",
    HTML_TO_PDF "html-to-pdf",
    MARKDOWN_TO_PDF "markdown-to-pdf",
    RENDER_TEMPLATE "render-template",
    EMAIL_TO_PDF "email-to-pdf",
    HTML_TO_IMAGE "html-to-image",
    MERGE_PDF "merge-pdf",
    SPLIT_PDF "split-pdf",
    ORGANIZE_PDF "organize-pdf",
    COMPRESS_PDF "compress-pdf",
    PROTECT_PDF "protect-pdf",
    UNLOCK_PDF "unlock-pdf",
    WATERMARK_PDF "watermark-pdf",
    EDIT_METADATA "edit-metadata",
    FLATTEN_PDF "flatten-pdf",
    FILL_FORM "fill-form",
    OCR_PDF "ocr-pdf",
    PDF_TO_PDFA "pdf-to-pdfa",
    TAG_PDF "tag-pdf",
    COMPARE_DOCUMENTS "compare-documents",
    REDACT_PDF "redact-pdf",
    PDF_TO_IMAGES "pdf-to-images",
    IMAGES_TO_PDF "images-to-pdf",
    THUMBNAIL "thumbnail",
    PDF_TO_TEXT "pdf-to-text",
    PDF_TO_OFFICE "pdf-to-office",
    EXTRACT_DOCUMENT "extract-document",
    INSPECT_DOCUMENT "inspect-document",
    VERIFY_SIGNATURES "verify-signatures",
    READ_INVOICE "read-invoice",
    SIGN_PDF "sign-pdf",
    VALIDATE_INVOICE "validate-invoice",
    CHECK_ACCESSIBILITY "check-accessibility",
}

impl Slug {
    /// The tool of this build with this name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|slug| slug.0 == text)
    }

    /// The name of a tool that is added to those of this build. It stays in memory until the program ends.
    pub(super) fn added(text: &str) -> Self {
        Self::parse(text).unwrap_or_else(|| Self(Box::leak(text.to_owned().into_boxed_str())))
    }

    /// The name, as paths and requests have it.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn the_list_has_each_file_of_the_catalogue() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools");
        let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let slugs: BTreeSet<_> = names
            .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
            .filter(|name| !name.contains('.'))
            .collect();
        assert_eq!(Slug::ALL.iter().map(|slug| slug.as_str().to_owned()).collect::<BTreeSet<_>>(), slugs);
        assert_eq!(Slug::parse("merge-pdf"), Some(Slug::MERGE_PDF));
        assert_eq!((Slug::parse("merge"), Slug::added("page-shout").as_str()), (None, "page-shout"));
    }
}
