"""Tests of the scores: `python -m unittest fidelity.tests`."""

import unittest
from collections import Counter

from .scores import of_pages, words


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


if __name__ == "__main__":
    unittest.main()
