#!/usr/bin/env python3
"""What pyHanko says of signed files: `judge.py ROOT.pem FILE…`. Ends with 1 unless each signature is right, trusted and allowed.

    pip install pyhanko==0.38.0
"""

import sys

from pyhanko.keys import load_certs_from_pemder
from pyhanko.pdf_utils.reader import PdfFileReader
from pyhanko.sign.validation import async_validate_pdf_signature
from pyhanko_certvalidator import ValidationContext


async def judge(path, roots):
    context = lambda: ValidationContext(trust_roots=roots, allow_fetching=False)
    with open(path, "rb") as file:
        reader = PdfFileReader(file)
        if reader.encrypted:
            reader.decrypt("open")
        verdicts = []
        for signature in reader.embedded_regular_signatures:
            status = await async_validate_pdf_signature(
                signature, signer_validation_context=context(), ts_validation_context=context()
            )
            print(path, signature.field_name, signature.sig_object.get("/SubFilter"), status.summary())
            verdicts.append(status.bottom_line)
        return bool(verdicts) and all(verdicts)


async def main():
    roots = list(load_certs_from_pemder([sys.argv[1]]))
    verdicts = [await judge(path, roots) for path in sys.argv[2:]]
    sys.exit(0 if all(verdicts) else 1)


if __name__ == "__main__":
    import asyncio

    asyncio.run(main())
