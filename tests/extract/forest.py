"""Trees that tell headings and their levels, as `text/src/headings/forest.rs` reads them. To grow them needs lightgbm."""

from collections.abc import Iterator

ALWAYS = {"feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1, "lambda_l2": 10.0, "verbose": -1, "num_threads": 1, "seed": 1, "deterministic": True}


class Forest:
    """Trees that `written` has written, and those that are added to them."""

    def __init__(self, text: str = "") -> None:
        head, *lines = text.splitlines() or [""]
        self.names, self.lines = head.split(), lines
        self.trees = [self._tree(iter(line.split())) for line in lines]

    def _tree(self, words: Iterator[str]) -> float | tuple:
        word = next(words)
        if word.startswith("="):
            return float(word[1:])
        feature, most = word.split(":")
        return self.names[int(feature)], float(most), self._tree(words), self._tree(words)

    def sums(self, values: dict[str, float], classes: int) -> list[float]:
        sums = [0.0] * classes
        for at, tree in enumerate(self.trees):
            while not isinstance(tree, float):
                name, most, small, large = tree
                tree = small if values[name] <= most else large
            sums[at % classes] += tree
        return sums

    def add(self, rows: list[dict], answers: list, weights: list[float], how: dict, rounds: int) -> None:
        import lightgbm
        import numpy

        self.names = self.names or list(rows[0])
        classes = how.get("num_class", 1)
        # One class after the other.
        start = numpy.array([self.sums(row, classes) for row in rows]).T.ravel() if self.trees else None
        table = numpy.array([[row[name] for name in self.names] for row in rows])
        model = lightgbm.train(how | ALWAYS, lightgbm.Dataset(table, answers, weight=weights, init_score=start), rounds)
        new = [_line(one["tree_structure"]) for one in model.dump_model()["tree_info"]]
        self.lines += new
        self.trees += [self._tree(iter(line.split())) for line in new]

    def written(self) -> str:
        """As `text/src/headings/forest.rs` reads it."""
        return "\n".join([" ".join(self.names), *self.lines]) + "\n"


def _line(node: dict) -> str:
    if "leaf_value" in node:
        return f"={node['leaf_value']:.4g}"
    return f"{node['split_feature']}:{node['threshold']:.6g} {_line(node['left_child'])} {_line(node['right_child'])}"
