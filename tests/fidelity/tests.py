"""Tests of the scores: `python -m unittest fidelity.tests`."""

import unittest
import zipfile
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from .causes import Page, Parting, Reader, parting, rest
from .documents import Part, all_documents
from .faces import Faces
from .heights import are_possible
from .print_areas import texts
from .row_breaks import breaks
from .scores import of_pages, words
from .word_pages import pages


class Scores(unittest.TestCase):
    def test_words_are_compared_without_punctuation_and_case(self) -> None:
        self.assertEqual(words("The ﬁrst “word”, • and THE"), Counter({"the": 2, "first": 1, "word": 1, "and": 1}))
        self.assertEqual(words("日本 page"), Counter({"日": 1, "本": 1, "page": 1}))

    def test_equal_documents_have_the_best_score(self) -> None:
        pages = [words("one two"), words(""), words("three")]
        score = of_pages(pages, pages)
        self.assertEqual((score.is_equal, score.same_page, score.found, score.differs_at), (True, 1.0, 1.0, 0))

    def test_a_word_on_another_page_is_found_but_not_on_the_same_page(self) -> None:
        score = of_pages([words("a b c d"), words("e f")], [words("a b c"), words("d e f")])
        self.assertEqual((score.same_page, score.found, score.differs_at), (5 / 6, 1.0, 1))

    def test_nothing_is_missing_of_a_document_without_words(self) -> None:
        score = of_pages([words("")], [words("")])
        self.assertEqual((score.is_equal, score.same_page, score.found), (True, 1.0, 1.0))

    def test_missing_pages_and_words_count(self) -> None:
        score = of_pages([words("a b"), words("c c")], [words("a b c")])
        self.assertEqual((score.is_equal, score.same_page, score.found), (False, 0.5, 0.75))


MAIN = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
BODY = (
    "<w:p><w:pPr><w:t>x</w:t></w:pPr><w:r><w:t>One</w:t><w:tab/><w:t>line</w:t></w:r>"
    '<w:r><w:rPr><w:rFonts w:ascii="Wingdings 2"/></w:rPr><w:t>û</w:t></w:r></w:p>'
    "<w:p><w:r><w:lastRenderedPageBreak/><w:t>Two</w:t></w:r></w:p>"
)


class WordPages(unittest.TestCase):
    def pages(self, program: str = "Microsoft Office Word", count: int = 2, characters: int = 10, year: int = 1980) -> list[str] | None:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "a.docx"
            parts = {
                "word/document.xml": f"<w:document {MAIN}><w:body>{BODY}</w:body></w:document>",
                "docProps/app.xml": f"<Properties><Application>{program}</Application><Pages>{count}</Pages>"
                f"<Characters>{characters}</Characters></Properties>",
            }
            with zipfile.ZipFile(path, "w") as package:
                for name, content in parts.items():
                    package.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), content)
            return pages(path)

    def test_a_document_of_word_has_its_pages(self) -> None:
        self.assertEqual(self.pages(), ["One line\n", "Two\n"])

    def test_others_tell_nothing(self) -> None:
        for other in (self.pages(program="LibreOffice"), self.pages(count=3), self.pages(characters=90), self.pages(year=2026)):
            self.assertIsNone(other)

    def test_a_page_can_not_hold_more_than_there_is_room_for(self) -> None:
        section = '<w:sectPr><w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:bottom="1440" w:left="1440" w:right="1440"/></w:sectPr>'

        def possible(paragraphs: str) -> bool:
            root = ElementTree.fromstring(f"<w:document {MAIN}><w:body>{paragraphs}{section}</w:body></w:document>")
            with TemporaryDirectory() as folder, zipfile.ZipFile(Path(folder) / "a.docx", "w") as package:
                return are_possible(root, package)

        page_break = "<w:p><w:r><w:lastRenderedPageBreak/></w:r></w:p>"
        self.assertTrue(possible("<w:p/>" * 70))
        self.assertFalse(possible("<w:p/>" * 72))
        self.assertTrue(possible("<w:p/>" * 60 + page_break + "<w:p/>" * 60))
        self.assertTrue(possible(f"<w:tbl>{'<w:tr><w:tc><w:p/></w:tc></w:tr>' * 99}</w:tbl>"), "cells may be side by side")
        self.assertFalse(possible(f"<w:p><w:r><w:t>{'x' * 30_000}</w:t></w:r></w:p>"))
        self.assertTrue(possible(f"<w:p><w:r><w:t>{'x' * 5_000}</w:t></w:r></w:p>"))

    def test_documents_of_a_repository_are_in_one_part(self) -> None:
        parts: dict[str, set[Part]] = {}
        for document in all_documents():
            parts.setdefault(document.repository, set()).add(document.part)
        self.assertTrue(all(len(of) == 1 for of in parts.values()))
        self.assertEqual({part for of in parts.values() for part in of}, set(Part))

    def test_no_document_is_listed_twice(self) -> None:
        digests = Counter(document.sha256 for document in all_documents())
        self.assertEqual([digest for digest, count in digests.items() if count > 1], [])


class RowBreaks(unittest.TestCase):
    def test_a_break_is_between_texts_that_are_there_once(self) -> None:
        texts = ["Twice", "First page", "Twice", "Second page", "Third page"]
        rows = "".join(f'<row r="{at}"><c t="inlineStr"><is><t>{text}</t></is></c></row>' for at, text in enumerate(texts, 1))
        set_by_people = '<rowBreaks><brk id="2" man="1"/><brk id="3"/></rowBreaks>'
        main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        with TemporaryDirectory() as folder:
            book = Path(folder) / "a.xlsx"
            for end, expected in ((set_by_people, [("firstpage", "secondpage")]), ("", [])):
                with zipfile.ZipFile(book, "w") as package:
                    package.writestr("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData>{end}</worksheet>')
                self.assertEqual(breaks(book), expected)


class PrintAreas(unittest.TestCase):
    def test_texts_are_inside_or_outside_of_a_sheets_areas(self) -> None:
        main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        cells = {"A1": "Inside it", "C2": "Outside it", "A3": "Twice", "A4": "Twice", "E5": "Also inside"}
        rows = "".join(f'<row r="{at[1]}"><c r="{at}" t="inlineStr"><is><t>{text}</t></is></c></row>' for at, text in cells.items())
        with TemporaryDirectory() as folder:
            book = Path(folder) / "a.xlsx"
            for area, expected in (("One!$A$1:$B$4,One!$E$5", (["insideit", "alsoinside"], ["outsideit"])), ("One!$1:$2", (["insideit", "outsideit"], ["alsoinside"]))):
                with zipfile.ZipFile(book, "w") as package:
                    names = f'<definedNames><definedName name="_xlnm.Print_Area" localSheetId="0">{area}</definedName></definedNames>'
                    sheets = f'<sheets><sheet name="One" r:id="x" xmlns:r="{relations}"/></sheets>'
                    package.writestr("xl/workbook.xml", f'<workbook xmlns="{main}">{sheets}{names}</workbook>')
                    package.writestr("xl/_rels/workbook.xml.rels", '<Relationships><Relationship Id="x" Target="worksheets/sheet1.xml"/></Relationships>')
                    package.writestr("xl/worksheets/sheet1.xml", f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>')
                self.assertEqual((texts(book).inside, texts(book).outside), expected)


class Causes(unittest.TestCase):
    def test_the_first_break_elsewhere_says_how_much_moved(self) -> None:
        in_word = [Page("onceuponatimetherewasakingofnowhere"), Page("whohadachateau"), Page("andaprincesswaslivinginit")]
        same = [page.letters for page in in_word]
        self.assertIsNone(parting(same, in_word))
        self.assertEqual(parting(["onceuponatime", "therewasakingofnowherewhohadachateau", same[2]], in_word), (1, 22))
        self.assertEqual(parting([same[0], "whohadachateauandaprincesswasliving", "init"], in_word), (2, -21))

    def test_text_after_a_page_of_pictures_may_have_another_number(self) -> None:
        in_word = [Page("onceuponatimetherewasakingofnowhere"), Page(), Page("andaprincesswaslivinginit")]
        same = [page.letters for page in in_word]
        self.assertIsNone(parting(same, in_word))
        self.assertEqual(parting([same[0], same[2]], in_word), (2, -25))

    def test_a_page_more_at_the_end_says_what_is_on_it(self) -> None:
        in_word = [Page("onceuponatime"), Page("therewasakingofnowhere")]
        first, last = (page.letters for page in in_word)
        self.assertEqual(rest([first, last, ""], in_word), "a page more at the end, without text")
        self.assertEqual(rest([first, "therewas", "akingofnowhere"], in_word), "the end of Word's last page on a page more")
        self.assertEqual(rest([first, last, "someoneelse"], in_word), "a page more with text that Word's pages do not show")
        self.assertEqual(rest([first + last], in_word), "fewer pages, whose text does not tell where they begin")

    def test_the_cause_is_on_the_page_that_ends_elsewhere(self) -> None:
        main = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
        note = "<w:p><w:r><w:t>Once upon a time there was a king</w:t><w:footnoteReference/></w:r></w:p>"
        face = '<w:p><w:r><w:rPr><w:rFonts w:ascii="CMU Serif"/></w:rPr><w:lastRenderedPageBreak/><w:t>and a queen of somewhere</w:t></w:r></w:p>'
        last = "<w:p><w:r><w:lastRenderedPageBreak/><w:t>who lived happily</w:t></w:r></w:p>"
        pages = Reader(ElementTree.fromstring(f"<w:document {main}><w:body>{note}{face}{last}</w:body></w:document>")).pages
        first, second = (Parting(all_documents()[0], "15", at + 1, 20, pages[at + 1].begins_in, pages[at], (3, 3)) for at in (0, 1))
        self.assertEqual((first.cause, second.cause, second.absent), ("footnote", "absent font", "cmu serif"))

    def test_a_family_comes_from_the_run_its_style_or_the_theme(self) -> None:
        styles = {"Base": ("", "georgia"), "Text": ("Base", "")}
        faces = Faces(themes={"minor": "calibri"}, styles=styles, default="arial", normal="")
        run = ElementTree.fromstring(f'<w:rPr {MAIN}><w:rFonts w:asciiTheme="minorHAnsi"/></w:rPr>')
        self.assertEqual((faces.of(run, "Text"), faces.of(None, "Text"), faces.of(None, "")), ("calibri", "georgia", "arial"))


if __name__ == "__main__":
    unittest.main()
