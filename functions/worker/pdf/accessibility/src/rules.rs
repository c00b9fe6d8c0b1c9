//! The rules of PDF/UA-1 (ISO 14289-1:2014) that a program can check. Their ids are the clause and the number of the test in veraPDF's
//! profile, which the veraPDF consortium and the PDF Association maintain.

use serde::{Serialize, Serializer};

/// Each line: the name here, the id, what is wrong, and what to do.
macro_rules! rules {
    ($($name:ident $id:literal: $problem:literal; $remedy:literal.)*) => {
        /// A rule that a document can break.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "each has its problem as a text")]
        pub enum Rule { $($name),* }

        impl Rule {
            /// All that are checked, in the order of the standard.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Clause and test, such as `7.3-1`.
            pub fn id(self) -> &'static str {
                match self { $(Self::$name => $id),* }
            }

            /// What is wrong in a document that breaks it.
            pub fn problem(self) -> &'static str {
                match self { $(Self::$name => concat!($problem, ".")),* }
            }

            /// What its author can do.
            pub fn remedy(self) -> &'static str {
                match self { $(Self::$name => concat!($remedy, ".")),* }
            }
        }
    };
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

rules! {
    ClaimMissing "5-1": "The metadata does not say that the file is PDF/UA"; "Once all other rules are met, add the identification `pdfuaid:part`; `tag-pdf` does so".
    ClaimOfOtherPart "5-2": "The metadata claims another part of PDF/UA than 1"; "Set `pdfuaid:part` to 1".
    PartPrefix "5-3": "`part` of the PDF/UA identification has another prefix than `pdfuaid`"; "Write the metadata with the prefix `pdfuaid`".
    AmendmentPrefix "5-4": "`amd` of the PDF/UA identification has another prefix than `pdfuaid`"; "Write the metadata with the prefix `pdfuaid`".
    CorrigendumPrefix "5-5": "`corr` of the PDF/UA identification has another prefix than `pdfuaid`"; "Write the metadata with the prefix `pdfuaid`".
    Header "6.1-1": "The file does not begin with a version from 1.0 to 1.7"; "Save the file as PDF 1.7".
    NotMarked "6.2-1": "The file does not say that it is tagged"; "Tag the document, for example by `tag-pdf`".
    ArtifactInContent "7.1-1": "Decoration is marked inside of content that is read"; "Tag the page again, with the decoration beside the content".
    ContentInArtifact "7.1-2": "Content that is read is marked inside of decoration"; "Tag the page again, with the content outside of artifacts".
    Unmarked "7.1-3": "Content is neither tagged nor marked as decoration"; "Tag it, or mark it as an artifact".
    Suspects "7.1-4": "The tags are marked as doubtful"; "Check the reading order, and set `Suspects` to false".
    UnknownType "7.1-5": "A tag has a type that is not a standard one, and is not mapped to one"; "Map it to a standard type in the role map".
    CircularMapping "7.1-6": "The role map leads from a type back to itself"; "Remove the circle from the role map".
    StandardRemapped "7.1-7": "The role map gives a standard type another meaning"; "Remove the standard type from the role map".
    MetadataMissing "7.1-8": "The document has no XMP metadata"; "Add metadata with a title, for example by `edit-metadata`".
    TitleMissing "7.1-9": "The metadata has no title"; "Give the document a title, for example by `edit-metadata`".
    TitleNotShown "7.1-10": "Viewers show the file's name instead of its title"; "Set `DisplayDocTitle` in the viewer preferences".
    NotTagged "7.1-11": "The document has no tags"; "Tag the document, for example by `tag-pdf`".
    ParentMissing "7.1-12": "A tag does not name its parent"; "Repair the structure tree with the program that made it".
    OutlineLanguage "7.2-2": "The language of the bookmarks is not known"; "Set the document's language".
    TableKids "7.2-3": "A table directly holds something else than rows, groups of rows and a caption"; "Put rows into TR, and a caption into Caption".
    RowParent "7.2-4": "A row (TR) is outside of a table"; "Put it into a Table, THead, TBody or TFoot".
    HeadParent "7.2-5": "A head (THead) is outside of a table"; "Put it directly into a Table".
    BodyParent "7.2-6": "A body (TBody) is outside of a table"; "Put it directly into a Table".
    FootParent "7.2-7": "A foot (TFoot) is outside of a table"; "Put it directly into a Table".
    HeaderCellParent "7.2-8": "A header cell (TH) is outside of a row"; "Put it into a TR".
    CellParent "7.2-9": "A cell (TD) is outside of a row"; "Put it into a TR".
    RowKids "7.2-10": "A row holds something else than cells"; "Put the content into TH or TD".
    TwoHeads "7.2-11": "A table has more than one head (THead)"; "Keep one THead".
    TwoFeet "7.2-12": "A table has more than one foot (TFoot)"; "Keep one TFoot".
    FootWithoutBody "7.2-13": "A table has a foot but no body"; "Put the other rows into a TBody".
    HeadWithoutBody "7.2-14": "A table has a head but no body"; "Put the other rows into a TBody".
    CellsOverlap "7.2-15": "Cells of a table overlap"; "Correct RowSpan and ColSpan".
    CaptionInside "7.2-16": "A table's caption is neither its first nor its last part"; "Move the Caption to the begin or end of the table".
    ItemParent "7.2-17": "A list item (LI) is outside of a list"; "Put it into an L".
    ItemBodyParent "7.2-18": "The body of an item (LBody) is outside of an item"; "Put it into an LI".
    ListKids "7.2-19": "A list directly holds something else than items, lists and a caption"; "Put the content into LI".
    ItemKids "7.2-20": "A list item holds something else than a label and a body"; "Put the content into Lbl and LBody".
    ActualTextLanguage "7.2-21": "The language of a replacement text is not known"; "Set `Lang` of the tag or of the document".
    AlternativeTextLanguage "7.2-22": "The language of an alternative text is not known"; "Set `Lang` of the tag or of the document".
    ExpansionLanguage "7.2-23": "The language of an expanded abbreviation is not known"; "Set `Lang` of the tag or of the document".
    ContentsLanguage "7.2-24": "The language of an annotation's description is not known"; "Set `Lang` of the document".
    FieldNameLanguage "7.2-25": "The language of a field's name is not known"; "Set `Lang` of the document".
    ContentsEntryParent "7.2-26": "An entry (TOCI) is outside of a table of contents"; "Put it into a TOC".
    ContentsKids "7.2-27": "A table of contents directly holds something else than entries"; "Put the content into TOCI".
    ContentsCaption "7.2-28": "The caption of a table of contents is not its first part"; "Move the Caption to its begin".
    LanguageForm "7.2-29": "A language is not a language tag such as `en-US`"; "Use a tag as in RFC 3066".
    SpanActualTextLanguage "7.2-30": "The language of a replacement text on a page is not known"; "Set `Lang` of the document".
    SpanAlternativeTextLanguage "7.2-31": "The language of an alternative text on a page is not known"; "Set `Lang` of the document".
    SpanExpansionLanguage "7.2-32": "The language of an expanded abbreviation on a page is not known"; "Set `Lang` of the document".
    MetadataLanguage "7.2-33": "The language of texts in the metadata is not known"; "Set `Lang` of the document".
    TextLanguage "7.2-34": "The language of the text is not known"; "Set `Lang` of the document".
    HeadKids "7.2-36": "A table's head holds something else than rows"; "Put the content into TR".
    BodyKids "7.2-37": "A table's body holds something else than rows"; "Put the content into TR".
    FootKids "7.2-38": "A table's foot holds something else than rows"; "Put the content into TR".
    TwoCaptions "7.2-39": "A table has more than one caption"; "Keep one Caption".
    ListCaption "7.2-40": "The caption of a list is not its first part"; "Move the Caption to its begin".
    RowsMissing "7.2-41": "A cell spans more rows than its table has"; "Correct RowSpan".
    RowTooLong "7.2-42": "A row of a table has more cells than its first row"; "Correct the cells or ColSpan".
    RowTooShort "7.2-43": "A row of a table has fewer cells than its first row"; "Add the missing cells, or correct ColSpan".
    FigureText "7.3-1": "A figure has no alternative text"; "Describe what it shows, for example by `alternativeTexts` of `tag-pdf`".
    HeadingSkipped "7.4.2-1": "A heading skips a level"; "Use heading levels one after the other, from H1 on".
    TwoHeadings "7.4.4-1": "A section has more than one heading H"; "Give each section one H".
    HeadingWithNumbered "7.4.4-2": "The document has headings with a level and without"; "Use either H, or H1 to H6".
    NumberedWithHeading "7.4.4-3": "The document has headings with a level and without"; "Use either H, or H1 to H6".
    HeaderScope "7.5-1": "A cell has no header: the header cells of its row and column say no scope"; "Give each TH a Scope, or each TD its Headers".
    HeaderUnknown "7.5-2": "A cell names a header that its table does not have"; "Correct Headers of the TD".
    FormulaText "7.7-1": "A formula has no alternative text"; "Write it as words in Alt".
    NoteId "7.9-1": "A note has no ID"; "Give each Note an ID".
    NoteIdTwice "7.9-2": "Two notes have the same ID"; "Give each Note an ID of its own".
    LayersUnnamed "7.10-1": "A configuration of layers has no name"; "Name it".
    LayersAutomatic "7.10-2": "A configuration of layers changes by itself"; "Remove `AS` from it".
    AttachmentUnnamed "7.11-1": "An attached file has no name"; "Give its specification both F and UF".
    DynamicForm "7.15-1": "The form is a dynamic XFA form"; "Save it as a form of PDF fields".
    ReadingForbidden "7.16-1": "The protection forbids assistive technology to read the document"; "Allow reading by assistive technology, for example by `protect-pdf`".
    AnnotationTag "7.18.1-1": "An annotation is not tagged"; "Put it into an Annot".
    AnnotationText "7.18.1-2": "An annotation has no description"; "Describe it in Contents or Alt".
    FieldName "7.18.1-3": "A form field has no name that can be read out"; "Give it a tooltip (TU)".
    TrapNet "7.18.2-1": "A page has trapping for printers as an annotation"; "Remove it".
    TabOrder "7.18.3-1": "The tab key does not follow the tags on a page with annotations"; "Set `Tabs` of the page to S".
    FieldTag "7.18.4-1": "A form field is not tagged"; "Put it into a Form".
    FormKids "7.18.4-2": "A Form holds something else than one field"; "Give each field a Form of its own".
    LinkTag "7.18.5-1": "A link is not tagged"; "Put it into a Link".
    LinkText "7.18.5-2": "A link has no description"; "Say in its Contents where it leads".
    MediaType "7.18.6.2-1": "A media clip does not say its type"; "Set its CT".
    MediaText "7.18.6.2-2": "A media clip has no alternative text"; "Set its Alt".
    PrinterMark "7.18.8-1": "A printer's mark is tagged"; "Take it out of the structure".
    OtherFile "7.20-1": "A part of a page is in another file"; "Put it into this file".
    FormUsedTwice "7.20-2": "Tagged content is drawn more than once"; "Draw a copy with tags of its own".
    CharacterSystem "7.21.3.1-1": "A font and its encoding are of different character collections"; "Embed the font again".
    GlyphMap "7.21.3.2-1": "A font does not say which glyphs its characters have"; "Embed the font again, with CIDToGIDMap".
    EncodingNotEmbedded "7.21.3.3-1": "A font's encoding is not in the file"; "Embed the CMap".
    WritingMode "7.21.3.3-2": "A font's encoding contradicts itself on the writing direction"; "Embed the CMap again".
    EncodingElsewhere "7.21.3.3-3": "A font's encoding refers to another one that is not predefined"; "Embed the CMap as a whole".
    FontNotEmbedded "7.21.4.1-1": "A font is not embedded"; "Embed it: `convert` to PDF/A does so".
    GlyphMissing "7.21.4.1-2": "A font does not have glyphs that the text shows"; "Embed the font again, with all glyphs that are shown".
    NamesIncomplete "7.21.4.2-1": "A font's list of its glyphs is not complete"; "Remove CharSet from the font, or embed it again".
    CharactersIncomplete "7.21.4.2-2": "A font's list of its characters is not right"; "Remove CIDSet from the font, or embed it again".
    WidthDiffers "7.21.5-1": "Glyphs of a font are wider or narrower than the document says"; "Embed the font again".
    CharacterTables "7.21.6-1": "A TrueType font has no table that leads from characters to glyphs"; "Embed the font again".
    NamedEncoding "7.21.6-2": "A TrueType font has no encoding that says which characters it has"; "Embed the font again, with WinAnsiEncoding".
    SymbolEncoding "7.21.6-3": "A symbol font has an encoding"; "Remove Encoding of the font".
    SymbolTables "7.21.6-4": "A symbol font has several tables of codes and none for symbols"; "Embed the font again".
    CharactersUnknown "7.21.7-1": "A font does not say which characters it shows, so they can't be read out or copied"; "Embed the font again, with ToUnicode".
    CharactersInvalid "7.21.7-2": "A font maps text to characters that do not exist"; "Embed the font again, with a correct ToUnicode".
    GlyphUndefined "7.21.8-1": "Text shows the sign for a missing character"; "Use a font that has the character".
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_rule_has_its_own_id_and_texts_for_people() {
        let ids: BTreeSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(ids.len(), Rule::ALL.len());
        for rule in Rule::ALL {
            assert!(rule.problem().ends_with('.') && rule.remedy().ends_with('.'), "{}", rule.id());
        }
    }
}
