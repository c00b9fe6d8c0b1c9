"""The contenders for office documents and pages; `pdf_peers` has those for the PDF tools."""

from pathlib import Path

from . import peers
from .contenders import Contender, Lines, Ours, Soffice, Unoserver, Wkhtmltopdf
from .gotenberg import Gotenberg


def office(worker: Path, installed: peers.Peers) -> list[Contender]:
    gotenberg = Gotenberg("/forms/libreoffice/convert")
    others = [Soffice(seeded=False), Soffice(seeded=True), Unoserver(installed.python), gotenberg]
    return _installed([Ours(worker, "office-to-pdf"), *others], installed)


def basic(worker: Path, installed: peers.Peers) -> list[Contender]:
    script = str(peers.HERE / "peer_weasyprint.py")
    weasyprint = Lines("weasyprint", [str(installed.python), script])
    ours = Ours(worker, "html-to-pdf", {"renderMode": "basic"})
    return _installed([ours, weasyprint, Wkhtmltopdf()], installed)


def browser(worker: Path, installed: peers.Peers) -> list[Contender]:
    ours = Ours(worker, "html-to-pdf", {"renderMode": "browser"})
    program, script = str(peers.browser()), str(peers.HERE / "peer_browser.mjs")
    drivers = ["puppeteer-core", "playwright-core"]
    others: list[Contender] = [Lines(name, ["node", script, name, str(installed.modules), program]) for name in drivers]
    others.append(Gotenberg("/forms/chromium/convert/html"))
    return _installed([ours, *others], installed)


def _installed(contenders: list[Contender], installed: peers.Peers) -> list[Contender]:
    return [contender for contender in contenders if contender.name not in installed.missing]
