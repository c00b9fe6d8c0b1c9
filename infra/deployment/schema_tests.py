"""Compares imports with AWS's schemas, which cfn-lint has. Run by `make check`."""

import json
import unittest

from preflight.policy import schemas, types_of

from deployment.templates import IDENTIFIERS


class Imports(unittest.TestCase):
    def test_what_is_imported_is_named_as_cloudformation_identifies_it(self):
        for kind, name in IDENTIFIERS.items():
            with self.subTest(kind=kind):
                schema = json.loads((schemas() / f"resources/{types_of('us-east-1')[kind]}.json").read_text())
                self.assertEqual(schema["primaryIdentifier"], [f"/properties/{name}"])
                # An import reads the resource.
                self.assertIn("read", schema["handlers"])


if __name__ == "__main__":
    unittest.main()
