"""Tests what `make test-generators` relies on, without generating anything. Run by `make check`."""

import json
import tempfile
import unittest
from pathlib import Path

from generators.building import DESCRIPTIONS, check_versions, command, missing
from generators.kinds import KINDS, Kind
from generators.tools import HERE


def kind(folder: str) -> Kind:
    return next(kind for kind in KINDS if kind.folder == folder)


class GeneratorsTest(unittest.TestCase):
    def test_every_folder_is_a_generator_with_a_command_in_the_guide(self) -> None:
        self.assertEqual({path.name for path in HERE.iterdir() if path.is_dir()}, {kind.folder for kind in KINDS})
        for each in KINDS:
            self.assertIn(each.description, command(each))
        check_versions()

    def test_a_client_without_an_operation_is_noticed(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            paths = {"/a": {"parameters": [], "get": {"operationId": "listThings"}, "post": {"operationId": "createThing"}}}
            (folder / "openapi-3.0.json").write_text(json.dumps({"paths": paths}))
            clients = {
                "ogen": ("client/oas_client_gen.go", "func (c *Client) ListThings(ctx context.Context) error {\n// CreateThing\n"),
                "openapi-python-client": ("client/docmill_client/api/a/list_things.py", "def sync_detailed(\n"),
                "progenitor": ("client/src/lib.rs", "    pub fn list_things(&self) -> builder::ListThings<'_> {\n"),
            }
            for generator, (file, text) in clients.items():
                (folder / file).parent.mkdir(parents=True, exist_ok=True)
                (folder / file).write_text(text)
                self.assertEqual(missing(kind(generator), folder), ["createThing"], generator)

    def test_the_description_has_operations_to_look_for(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "openapi-3.0.json").write_bytes((DESCRIPTIONS / "openapi-3.0.json").read_bytes())
            self.assertIn("createJob", missing(kind("ogen"), folder))


if __name__ == "__main__":
    unittest.main()
