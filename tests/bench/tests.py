"""Tests of the table in `README.md`: `python -m unittest bench.tests`."""

import json
import unittest
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

from . import damaged, sheets, summary

MEASURED = {
    "machine before": {"cores": 2, "load": [0.4, 0.3, 0.2]},
    "office": {
        "small docx": {
            "docmill": {"wall_ms": [41.0, 43.0, 42.04]},
            "unoserver": {"wall_ms": [115.0]},
            "gotenberg": {"wall_ms": [], "problem": "not started"},
        }
    },
    "basic": {"small": {"docmill": {"wall_ms": [], "problem": "it failed"}}},
    "bars": [
        {"name": "OCR of five scripts: wrong characters of ocrmypdf's", "figure": 0.04283, "limit": 1.0, "at_least": False},
        {"name": "OCR of five scripts: CPU time of ocrmypdf's", "figure": None, "limit": 0.65, "at_least": False},
    ],
}


class Summary(unittest.TestCase):
    def test_the_readme_has_the_table_of_the_results(self) -> None:
        readme = summary.README.read_text()
        self.assertEqual(summary.written(readme, json.loads(summary.RESULTS.read_text())), readme, "run `make bench-table`")

    def test_a_run_gives_medians_of_what_it_measured(self) -> None:
        taken = summary.taken(MEASURED, "2026-11-28")
        self.assertEqual(list(taken), ["office", "ocr"])
        (row,) = taken["office"]["rows"]
        self.assertEqual(row, {"what": "small docx", "unit": "ms", "figures": {"docmill": 42.0, "unoserver": 115.0}})
        self.assertEqual([row["figures"] for row in taken["ocr"]["rows"]], [{"docmill": 0.043}])

    def test_each_comparison_is_a_line_with_the_best_other(self) -> None:
        row = {"what": "small docx", "unit": "ms", "figures": {"docmill": 42, "unoserver": 115, "soffice": 1197}}
        alone = {"what": "peak", "unit": "MB", "figures": {"docmill": 1.5}}
        results = {"office": {"title": "Office", "measured": "2026-11-28", "load": 0.4, "rows": [row, alone]}}
        self.assertEqual(
            summary.table(results).splitlines()[2:],
            [
                "| **Office**: small docx | 42 ms | unoserver 115 ms | 0.37 | 2026-11-28, load 0.4 |",
                "| peak | 1.5 MB | – | – |  |",
            ],
        )


class Damaged(unittest.TestCase):
    def read(self, ours: int, said: str, **theirs: int) -> damaged.Read:
        return damaged.Read("a.pdf", "file is damaged", ours, said, dict.fromkeys(damaged.PEERS, 0) | theirs)

    def test_the_usual_pages_are_those_of_two_programs_and_of_most(self):
        self.assertEqual(self.read(1, "", pdfium=3, qpdf=3, gs=1).usual, 3)
        self.assertIsNone(self.read(1, "", pdfium=3, qpdf=3, mupdf=1, gs=1).usual)
        self.assertIsNone(self.read(1, "", pdfium=3).usual)
        self.assertIsNone(self.read(1, "").usual)

    def test_the_table_lists_what_others_read_and_what_they_count_otherwise(self):
        rows = [self.read(0, "corrupt_document", gs=2), self.read(2, "repaired", pdfium=3, qpdf=3), self.read(1, "", qpdf=1)]
        table = damaged.table(rows)
        self.assertIn("| ours | 2 | 3 | |", table)
        self.assertIn("| gs | 1 | 2 | 1 |", table)
        self.assertIn("a.pdf: 2, {'pdfium': 3, 'qpdf': 3, 'mupdf': 0, 'gs': 0}", table)
        self.assertIn("Refused by ours: 1 corrupt_document", table)


class Sheets(unittest.TestCase):
    def test_cells_that_are_not_to_be_printed_do_not_count(self) -> None:
        main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
        relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
        cells = [("A1", "shown"), ("B1", "in a hidden column"), ("C1", "under a merged cell"), ("D1", "outside")]
        row = "".join(f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>' for place, text in cells)
        sheet = (
            f'<worksheet {main}><cols><col min="2" max="2" hidden="1"/></cols><sheetData><row r="1">{row}</row>'
            '<row r="2" hidden="1"><c r="A2" t="s"><v>0</v></c></row><row r="3"><c r="A3" t="s"><v>0</v></c></row></sheetData>'
            '<mergeCells><mergeCell ref="A1:A1"/><mergeCell ref="B1:C1"/></mergeCells></worksheet>'
        )
        parts = {
            "xl/workbook.xml": f'<workbook {main} xmlns:r="{relations}"><sheets><sheet name="S" r:id="a"/><sheet name="H" state="hidden" r:id="a"/>'
            '</sheets><definedNames><definedName name="_xlnm.Print_Area" localSheetId="0">S!$A$1:$C$9</definedName></definedNames></workbook>',
            "xl/_rels/workbook.xml.rels": '<Relationships><Relationship Id="a" Target="worksheets/sheet1.xml"/></Relationships>',
            "xl/sharedStrings.xml": f"<sst {main}><si><r><t>in </t></r><r><t>runs</t></r></si></sst>",
            "xl/worksheets/sheet1.xml": sheet,
        }
        with TemporaryDirectory() as folder:
            path = Path(folder) / "book.xlsx"
            with zipfile.ZipFile(path, "w") as package:
                for name, text in parts.items():
                    package.writestr(name, text)
            self.assertEqual(sheets.texts(path), [("S!A1", "shown"), ("S!A3", "in runs")])
