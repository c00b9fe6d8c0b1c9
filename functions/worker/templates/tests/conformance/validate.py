"""Validates files, and prints the violations of each as a line: a JSON list of texts without positions."""

import json
import sys

from openxml_audit import OdfValidator, OpenXmlValidator, ValidationSeverity

VALIDATORS = {True: OdfValidator(relaxng_validation=True, require_schema_routes=False), False: OpenXmlValidator(max_errors=0)}

for path in sys.argv[1:]:
    result = VALIDATORS[path.endswith(".odt")].validate(path)
    errors = [error for error in result.errors if error.severity == ValidationSeverity.ERROR]
    print(json.dumps(sorted({f"{error.part_uri}: {error.description}" for error in errors})))
