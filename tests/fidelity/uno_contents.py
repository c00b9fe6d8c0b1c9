"""LibreOffice's own update of tables of contents: `uno_contents.py FOLDER DOCUMENT…` writes the documents to the folder. It runs by a Python
that has LibreOffice's module `uno`."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import uno
from com.sun.star.beans import PropertyValue

START_SECONDS = 60


def _property(name: str, value: object) -> PropertyValue:
    found = PropertyValue()
    found.Name, found.Value = name, value
    return found


def _connect(pipe: str):
    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(START_SECONDS * 2):
        try:
            return resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        except Exception:
            time.sleep(0.5)
    raise SystemExit("LibreOffice did not start")


def _update(desktop, document: Path, target: Path) -> None:
    opened = desktop.loadComponentFromURL(document.as_uri(), "_blank", 0, (_property("Hidden", True),))
    try:
        indexes = opened.getDocumentIndexes()
        for number in range(indexes.getCount()):
            indexes.getByIndex(number).update()
        opened.storeToURL(target.as_uri(), (_property("FilterName", "MS Word 2007 XML"),))
    finally:
        opened.close(True)


def main() -> None:
    folder, documents = Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]]
    with tempfile.TemporaryDirectory(prefix="docmill-uno-") as profile:
        pipe = Path(profile).name
        options = [f"-env:UserInstallation={Path(profile).as_uri()}", f"--accept=pipe,name={pipe};urp;", "--headless", "--norestore"]
        office = subprocess.Popen(["soffice", *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        context = _connect(pipe)
        desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        for document in documents:
            try:
                _update(desktop, document, folder / document.name)
            except Exception as problem:
                print(f"{document.name}: {type(problem).__name__}", file=sys.stderr)
        try:
            desktop.terminate()
        finally:
            office.wait(30)


if __name__ == "__main__":
    main()
