"""Tests of the scores and the truth, by hand-made cases: `python -m extract.tests`."""

import unittest

from . import calibration, drawn, grits, headings, kinds, markdown, page, relations, scores, single, strangers, stripped
from .truth import Block, Cell, Document, Role, table

PIPES = "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"
MARKUP = "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr></table>"


class Strangers(unittest.TestCase):
    def test_cells_are_placed_beside_those_that_reach_down(self):
        table = strangers.lxml.html.fromstring(
            "<table><tr><td rowspan=2>Year</td><td colspan=2>Sales</td></tr><tr><td>$</td><td>5</td></tr></table>"
        )
        expected = [(0, 0, 1, 0, "Year"), (0, 1, 0, 2, "Sales"), (1, 1, 1, 1, ""), (1, 2, 1, 2, "5")]
        self.assertEqual(strangers._of_html(table), [relations.Cell(*cell) for cell in expected])

    def test_what_only_places_text_is_no_table(self):
        cells = [relations.Cell(row, column, row, column, "x") for row in range(4) for column in range(2)]
        self.assertTrue(strangers.is_table(cells))
        self.assertFalse(strangers.is_table(cells[:4]))
        self.assertFalse(strangers.is_table([relations.Cell(row, 0, row, 0, "x") for row in range(9)]))


class Grits(unittest.TestCase):
    def test_rows_and_columns_may_be_left_out(self):
        longer = MARKUP.replace("</table>", "<tr><td>x</td><td>y</td></tr></table>")
        self.assertEqual(grits.score(MARKUP, MARKUP), 1.0)
        self.assertAlmostEqual(grits.score(MARKUP, longer), 12 / 14)
        self.assertEqual((grits.score(MARKUP, ""), grits.score("", MARKUP)), (0.0, None))

    def test_cells_over_several_columns_have_their_text_in_each(self):
        wide = "<table><tr><td colspan=2>a</td></tr><tr><td>1</td><td>2</td></tr></table>"
        self.assertEqual(grits.grids(wide), [[["a", "a"], ["1", "2"]]])


class Headings(unittest.TestCase):
    def test_numbers_are_as_deep_as_their_parts(self):
        texts = ["1 One", "2. Two", "(3) Three", "1.2 a", "1.2.3.4.5.6 b", "IV. Four", "B) Two", "Part II", "A", "x"]
        self.assertEqual(list(map(headings.numbering, texts)), [1, 1, 1, 2, 5, 10, 11, 12, 0, 0])

    def test_lines_of_a_table_of_contents_name_titles(self):
        self.assertTrue(headings.is_entry("1.2 The Ships ........ 12"))
        self.assertEqual(headings.entry_title("1.2 The Ships ........ 12"), headings.letters("3. THE SHIPS"))

    def test_trees_are_written_from_their_root(self):
        class Model:
            def dump_model(self) -> dict:
                ends = {"left_child": {"leaf_value": 1.0}, "right_child": {"leaf_value": -0.25}}
                return {"tree_info": [{"tree_structure": {"split_feature": 1, "threshold": 0.5, **ends}}]}

        self.assertEqual(headings.written(Model(), ["a", "b"]), "a b\n1:0.5 =1 =-0.25\n")


class Drawn(unittest.TestCase):
    def test_blocks_have_their_box_role_and_number(self):
        places = [{"page": 2, "box": [10, 20, 40, 32]}]
        document = {"blocks": [{"role": "heading", "level": 1, "places": places}], "tables": []}
        self.assertIn("10 20 30 12 re S", drawn.marks(document, 2))
        self.assertIn("(1 heading 1) Tj", drawn.marks(document, 2))
        self.assertEqual(drawn.marks(document, 1), "")


class Single(unittest.TestCase):
    def test_lines_that_repeat_in_the_margins_are_running(self):
        def page(number: int) -> tuple[float, list[single.Line]]:
            return 800.0, [single.Line(0, 30, f"The Ships {number}"), single.Line(1, 400, "They left."), single.Line(2, 790 - number * 30, "Only here")]

        self.assertEqual(single._running([page(number) for number in range(1, 7)]), [{0}] * 6)

    def test_checks_compare_letters_and_digits(self):
        read = "They left for the north in May, with\ntwo ships.\n\n12\n\nThe year 1712 was cold."
        self.assertTrue(single.is_met(single.Check("order", "the north in May, with", "two ships."), read))
        self.assertFalse(single.is_met(single.Check("order", "two ships.", "the north in May"), read))
        self.assertFalse(single.is_met(single.Check("absent", "12"), read), "a line of its own")
        self.assertTrue(single.is_met(single.Check("absent", "17"), read), "a part of a number")
        self.assertFalse(single.is_met(single.Check("absent", "The Year 1712"), read))


class Stripped(unittest.TestCase):
    def test_repositories_are_of_one_part(self):
        parts = [stripped.part(f"owner+name{number}") for number in range(400)]
        shares = [parts.count(part) / 400 for part in ("judged", "train", "choose")]
        for share, expected in zip(shares, (1 / 2, 3 / 8, 1 / 8)):
            self.assertAlmostEqual(share, expected, delta=0.08)

    def test_markdown_is_scored_like_documents(self):
        heading = lambda level, text: {"role": "heading", "level": level, "text": text}
        truth = {"blocks": [heading(1, "Ships"), {"role": "paragraph", "text": "They left."}, heading(2, "Boats")], "tables": []}
        found = stripped.of_markdown(truth, "## **Ships**\n\nThey left.\n\n## Boats")
        self.assertEqual((found.order, found.headings, found.levels), (1.0, 1.0, 0.5))

    def test_levels_count_by_their_order(self):
        blocks = [
            {"role": "title", "text": "Ships"},
            {"role": "heading", "level": 2, "text": "1. North"},
            {"role": "heading", "level": 4, "text": "The Ice"},
        ]
        self.assertEqual(stripped.headings({"blocks": blocks}), [(0, "ships"), (1, "1north"), (2, "theice")])

    def test_scores_are_one_for_the_truth_itself(self):
        cells = [{"row": 0, "column": at, "rowSpan": 1, "columnSpan": 1, "text": text} for at, text in enumerate("ab")]
        blocks = [{"role": "heading", "level": 1, "text": "Ships"}, {"role": "table", "table": "t1"}, {"role": "footer", "text": "Page 3"}]
        blocks += [{"role": role, "text": "They left."} for role in ("listItem", "caption", "footnote")]
        document = {"blocks": blocks, "tables": [{"id": "t1", "rows": 1, "cells": cells}]}
        self.assertEqual(stripped.score(document, document), stripped.Score(*[1.0] * len(stripped.Score.__dataclass_fields__)))
        other = {"blocks": blocks[:1], "tables": []}
        less = stripped.score(document, other)
        self.assertEqual((less.margins, less.items, less.captions, less.notes), (0.0, 0.0, 0.0, 0.0))


class Calibration(unittest.TestCase):
    def test_a_block_is_right_by_its_role_and_text(self):
        truth = {"blocks": [{"role": "heading", "text": "1.2 The Ships"}, {"role": "paragraph", "text": "They left for the north in May."}], "tables": []}

        def right(role: str, text: str, at_edge: bool = False) -> bool:
            return calibration.is_right({"role": role, "text": text}, {}, truth, at_edge)

        self.assertTrue(right("title", "The ships"), "a title is a heading, with or without its number")
        self.assertFalse(right("paragraph", "The ships"))
        self.assertFalse(right("paragraph", "They left for"))
        self.assertTrue(right("paragraph", "They left for", at_edge=True))
        self.assertFalse(right("paragraph", "The ships. They left for the north in May."))

    def test_a_tree_is_the_same_in_rust(self):
        tree = calibration.Test("words", 7.5, 0.2, calibration.Test("beforeTable", 0.5, 0.9, calibration.Test("filled", 0.7, 0.1, 0.8)))
        self.assertEqual(calibration.judged(tree, {"words": 7, "beforeTable": 1, "filled": 1}), 0.2)
        self.assertEqual(calibration.judged(tree, {"words": 8, "beforeTable": 1, "filled": 0.9}), 0.8)
        expected = "If(F::Words, 7.5, &Is(0.2), &If(F::Before(N::IsTable), 0.5, &Is(0.9), &If(F::Table(T::Filled), 0.7, &Is(0.1), &Is(0.8))))"
        self.assertIn(f"static TABLE: Tree = {expected};", calibration.source({"table": tree}))

    def test_right_blocks_that_are_surer_than_wrong_ones_are_apart(self):
        def apart(*stated: tuple[float, bool]) -> float:
            return calibration._apart([calibration.Seen("d", "table", sure, right, {}, 1) for sure, right in stated])

        self.assertEqual(apart((0.9, True), (0.5, False)), 1)
        self.assertEqual(apart((0.9, True), (0.9, False)), 0.5)
        self.assertEqual(apart((0.5, True), (0.9, False), (0.95, True)), 0.5)


class Order(unittest.TestCase):
    def test_space_makes_no_difference(self):
        self.assertEqual(scores.order("one two\n\nthree", " one  two three"), 1)

    def test_what_is_missing_and_what_is_too_much_count_alike(self):
        # 2 · 4 common characters of 4 + 8.
        self.assertAlmostEqual(scores.order("abcd", "abcdefgh"), 2 / 3)
        self.assertAlmostEqual(scores.order("abcdefgh", "abcd"), 2 / 3)

    def test_columns_in_the_wrong_order_cost(self):
        self.assertAlmostEqual(scores.order("abcdxyz!", "xyz!abcd"), 0.5)


class Relations(unittest.TestCase):
    def test_a_cell_over_two_columns_is_next_to_both_below_it(self):
        cells = [relations.Cell(0, 0, 0, 1, "both"), relations.Cell(1, 0, 1, 0, "a"), relations.Cell(1, 1, 1, 1, "b")]
        expected = {("both", "a", "below"): 1, ("both", "b", "below"): 1, ("a", "b", "right"): 1}
        self.assertEqual(relations.relations(cells), expected)

    def test_an_empty_cell_is_passed_over(self):
        cells = [relations.Cell(0, column, 0, column, text) for column, text in enumerate(["a", "", "b"])]
        self.assertEqual(relations.relations(cells), {("a", "b", "right"): 1})

    def test_what_is_missing_costs_recall_and_what_is_too_much_precision(self):
        wanted = relations.relations(relations.of_pipes("|a|b|\n|-|-|\n|1|2|")[0])
        found = relations.relations(relations.of_pipes("|a|b|\n|-|-|\n|1|x|")[0])
        one = relations.score("", wanted, found)
        # Four relations each, of which "a b" and "a 1" are common.
        self.assertEqual((one.precision, one.recall), (0.5, 0.5))


class Tables(unittest.TestCase):
    def test_pipes_are_as_good_as_html(self):
        self.assertEqual(scores.score(MARKUP, PIPES).tables, 1)

    def test_a_cell_of_other_text_costs_its_share(self):
        # The table, 3 rows and 6 cells: one of 10 differs wholly.
        self.assertAlmostEqual(scores.score(MARKUP, PIPES.replace("4", "x")).tables, 1 - 1 / 10)

    def test_a_missing_row_costs_its_nodes(self):
        self.assertAlmostEqual(scores.score(MARKUP, PIPES.rsplit("\n", 1)[0]).tables, 1 - 3 / 10)

    def test_other_spans_are_another_cell(self):
        spanning = MARKUP.replace("<td>3</td><td>4</td>", '<td colspan="2">3</td>')
        self.assertAlmostEqual(scores.score(spanning, PIPES).tables, 1 - 2 / 10)

    def test_a_table_in_two_parts_costs_little_and_none_costs_all(self):
        parts = PIPES.replace("\n| 3", "\n\n| 3 | 4 |\n| --- | --- |\n| 3")
        self.assertLess(scores.score(MARKUP, parts).tables, 0.75)
        self.assertEqual(scores.score(MARKUP, "a b 1 2 3 4").tables, 0)

    def test_without_a_table_there_is_no_score(self):
        self.assertIsNone(scores.score("text", PIPES).tables)


class Headings(unittest.TestCase):
    truth = "# One\n\ntext\n\n## Two\n\nmore"

    def test_levels_make_no_difference(self):
        self.assertEqual(scores.score(self.truth, self.truth.replace("## ", "### ")).headings, 1)

    def test_a_heading_that_became_text_costs_its_nodes_and_its_text(self):
        # Document, two headings and their texts: one heading and its text are gone, and the text above is longer.
        found = scores.score(self.truth, "# One\n\ntext\n\nTwo\n\nmore").headings
        self.assertAlmostEqual(found, 1 - (2 + 9 / 13) / 5)

    def test_none_is_nothing(self):
        self.assertEqual(scores.score(self.truth, "One text Two more").headings, 0)
        self.assertIsNone(scores.score("text", "# One").headings)


class Truth(unittest.TestCase):
    def test_every_class_is_scored_perfect_against_itself_and_differs_by_seed(self):
        for kind in kinds.KINDS:
            first, again, other = kinds.write(kind, 1), kinds.write(kind, 1), kinds.write(kind, 2)
            self.assertEqual(first, again)
            self.assertNotEqual(first.blocks, other.blocks)
            self.assertEqual(scores.order(first.markdown(), first.markdown()), 1)

    def test_each_block_is_a_link_of_the_page(self):
        for kind in kinds.KINDS:
            document = kinds.write(kind, 3)
            written = page.page(document)
            for index in range(len(document.blocks)):
                self.assertIn(f'href="{page.ADDRESS}{index}"', written)

    def test_cells_cover_the_grid(self):
        for number in range(1, 20):
            for block in kinds.write("merged cells", number).blocks:
                areas = [cell.columns * cell.rows for row in block.rows for cell in row]
                if areas:
                    self.assertEqual(sum(areas), len(block.rows) * sum(cell.columns for cell in block.rows[0]))

    def test_a_table_is_written_with_its_spans(self):
        rows = [[Cell("a & b", columns=2, header=True)], [Cell("1"), Cell("2", rows=2)]]
        written = '<table><tr><th colspan="2">a &amp; b</th></tr><tr><td>1</td><td rowspan="2">2</td></tr></table>'
        self.assertEqual(table(rows), written)

    def test_markdown_is_read_as_blocks(self):
        text = "# A *b*\n\nc `d`\n\n1. e\n   - f\n2. g\n\n| h |\n|---|\n| i |\n\n```\nj\n```\n"
        expected = [
            Block(Role.HEADING, "A b", level=1),
            Block(Role.PARAGRAPH, "c d"),
            Block(Role.ITEM, "e", number=1),
            Block(Role.ITEM, "f", depth=1),
            Block(Role.ITEM, "g", number=2),
            Block(Role.TABLE, rows=[[Cell("h", header=False)], [Cell("i")]]),
            Block(Role.CODE, "j"),
        ]
        found = markdown.blocks(text)
        found[5].rows[0][0].header = False
        self.assertEqual(found, expected)

    def test_a_document_comes_back_from_its_file(self):
        import tempfile
        from pathlib import Path

        document = kinds.write("mixed", 1)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "one.json"
            document.save(path)
            self.assertEqual(Document.load(path), document)


if __name__ == "__main__":
    unittest.main()
