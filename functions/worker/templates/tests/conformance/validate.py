"""Validates files, and prints the violations of each as a line: a JSON list of texts without positions."""

import json
import sys

from openxml_audit import OdfValidator, OpenXmlValidator, ValidationSeverity


def violations(path):
    """A validator remembers parts of the files before, so each file has one of its own."""
    if path.endswith(".odt"):
        validator = OdfValidator(relaxng_validation=True, require_schema_routes=False)
    else:
        validator = OpenXmlValidator(max_errors=0)
    errors = [error for error in validator.validate(path).errors if error.severity == ValidationSeverity.ERROR]
    return sorted({f"{error.part_uri}: {error.description}" for error in errors})


for file in sys.argv[1:]:
    print(json.dumps(violations(file)))
