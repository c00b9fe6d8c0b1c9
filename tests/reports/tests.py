"""Tests of the runner: `python -m unittest reports.tests`."""

import io
import json
import tempfile
import unittest
import zipfile
from pathlib import Path

from . import result
from .case import Case, Check, Malformed, read, read_all


def case(**described: object) -> Case:
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "a.pdf").write_bytes(b"")
        (Path(home) / "case.json").write_text(json.dumps(described))
        return read(Path(home))


def wrong(text: str = "One two\n three", said: dict | None = None, /, **expected: object) -> list[str]:
    return result.wrong(Check("merge-pdf", "a.pdf", **expected), said or {}, text.encode())


class Cases(unittest.TestCase):
    def test_one_check_or_several_are_read(self) -> None:
        one = {"tool": "merge-pdf", "input": "a.pdf", "pages": 2}
        self.assertEqual(case(source="x", **one).checks, [Check("merge-pdf", "a.pdf", pages=2)])
        self.assertEqual([check.pages for check in case(source="x", checks=[one, one | {"pages": 3}]).checks], [2, 3])

    def test_a_case_that_would_check_nothing_is_refused(self) -> None:
        one = {"tool": "merge-pdf", "input": "a.pdf", "pages": 2}
        asserts_nothing = {"tool": "merge-pdf", "input": "a.pdf"}
        for described in (one, asserts_nothing | {"source": "x"}, {"source": "x", "checks": []}, one | {"source": "x", "textContain": ["a"]}):
            with self.assertRaises(Malformed):
                case(**described)
        with self.assertRaisesRegex(Malformed, "b.pdf"):
            case(source="x", **(one | {"input": "b.pdf"}))

    def test_all_cases_of_the_project_can_be_read(self) -> None:
        for each in read_all():
            self.assertTrue(each.source, each.folder.name)


class Results(unittest.TestCase):
    def test_text_is_compared_whatever_its_spaces(self) -> None:
        right = wrong(textContains=["two three"], textLacks=["four"], textInOrder=["One", "three"], textCounts={"t": 2})
        self.assertEqual(right, [])
        self.assertEqual(wrong(textContains=["four"]), ["the text lacks 'four'"])
        self.assertEqual(wrong(textLacks=["two"]), ["the text has 'two'"])
        self.assertEqual(len(wrong(textInOrder=["three", "One"])), 1)
        self.assertEqual(wrong(textCounts={"t": 3}), ["'t' is in the text 2 times, not 3"])

    def test_pages_sizes_warnings_and_values_are_compared(self) -> None:
        said = {"output": {"pages": 2}, "warnings": [{"code": "repaired", "message": "It was cut."}]}
        right = wrong("{\"a\": [1]}", said, pages=2, minBytes=1, maxBytes=99, warnings=["repaired"], warningsSay=["cut"], json={"a.0": 1})
        self.assertEqual(right, [])
        false = {"pages": 3, "minBytes": 99, "maxBytes": 1, "warnings": ["no_text"], "noWarnings": ["repaired"], "warningsSay": ["whole"]}
        differing = wrong("{\"a\": [1]}", said, **false, json={"a.1": 1}, answer={"output.pages": 3}, error="internal")
        self.assertEqual(len(differing), 9)

    def test_the_text_of_an_office_document_is_that_of_its_parts(self) -> None:
        package = io.BytesIO()
        with zipfile.ZipFile(package, "w") as parts:
            parts.writestr("word/document.xml", "<w:p><w:t>On</w:t><w:t>e</w:t></w:p><w:p>two</w:p>")
        self.assertEqual(result.plain(result.text_of(package.getvalue())), "One two")


if __name__ == "__main__":
    unittest.main()
