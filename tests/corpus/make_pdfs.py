"""Writes the PDFs of `pdfs/`: small files that stand for enormous or endless ones. `python3 tests/corpus/make_pdfs.py`"""

import struct
import zlib
from pathlib import Path

FOLDER = Path(__file__).parent / "pdfs"
MIB = 1 << 20
SIDE = 65_000


class Pdf:
    """Objects in the order of their numbers, from 1: the catalog, the page tree, and the rest."""

    def __init__(self) -> None:
        self.objects: list[bytes] = [b"", b""]
        self.catalog = b""

    def add(self, body: bytes) -> bytes:
        self.objects.append(body)
        return b"%d 0 R" % len(self.objects)

    def stream(self, head: bytes, data: bytes) -> bytes:
        return self.add(b"<<%s/Length %d>>\nstream\n%s\nendstream" % (head, len(data), data))

    def page(self, content: bytes, resources: bytes = b"", more: bytes = b"") -> bytes:
        return self.add(
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 400]/Contents %s/Resources<<%s>>%s>>" % (content, resources, more)
        )

    def tree(self, kids: bytes, count: int) -> None:
        self.objects[1] = b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count)

    def bytes(self, trailer: bytes = b"") -> bytes:
        self.objects[0] = b"<</Type/Catalog/Pages 2 0 R%s>>" % self.catalog
        out, places = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), []
        for number, body in enumerate(self.objects, 1):
            places.append(len(out))
            out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
        start = len(out)
        out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        for place in places:
            out += b"%010d 00000 n \n" % place
        trailer = trailer.replace(b"HERE", b"%d" % start)
        out += b"trailer\n<</Root 1 0 R/Size %d%s>>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, trailer, start)
        return bytes(out)


def one_page(content: bytes, resources: bytes = b"", more: bytes = b"", pdf: Pdf | None = None) -> Pdf:
    pdf = pdf or Pdf()
    pdf.tree(pdf.page(pdf.stream(b"", content), resources, more), 1)
    return pdf


def repeated(block: bytes, times: int) -> bytes:
    """Deflated, and deflated again: the same block over and over, without ever being whole in memory."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    unit = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    again = zlib.compressobj(9)
    out = [again.compress(b"\x78\xda")] + [again.compress(unit) for _ in range(times)]
    # An empty last block, and a checksum that nobody gets to.
    return b"".join(out) + again.compress(b"\x03\x00\0\0\0\0") + again.flush()


def page_tree_ring() -> bytes:
    pdf = one_page(b"0 0 9 9 re f")
    pdf.tree(b"4 0 R 2 0 R", 2)
    return pdf.bytes()


def million_pages() -> bytes:
    pdf = Pdf()
    page = pdf.page(pdf.stream(b"", b""))
    inner = pdf.add(b"<</Type/Pages/Parent 2 0 R/Kids[%s]/Count 1000>>" % ((page + b" ") * 1000))
    pdf.tree((inner + b" ") * 1000, 1_000_000)
    return pdf.bytes()


def page_named_a_million_times() -> bytes:
    """The tree lies in an object stream, where its million names take a few KB."""
    pdf = Pdf()
    page = pdf.page(pdf.stream(b"", b""))
    tree = b"2 0 <</Type/Pages/Count 1000000/Kids[%s]>>" % ((page + b" ") * 1_000_000)
    pdf.stream(b"/Type/ObjStm/N 1/First 4/Filter/FlateDecode", zlib.compress(tree, 9))
    out, entries = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"), [struct.pack(">BIH", 0, 0, 65535)]
    pdf.objects[0] = b"<</Type/Catalog/Pages 2 0 R>>"
    for number, body in enumerate(pdf.objects, 1):
        if number == 2:
            entries.append(struct.pack(">BIH", 2, len(pdf.objects), 0))
            continue
        entries.append(struct.pack(">BIH", 1, len(out), 0))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start, number = len(out), len(entries)
    entries.append(struct.pack(">BIH", 1, start, 0))
    head = b"<</Type/XRef/W[1 4 2]/Root 1 0 R/Size %d/Length %d>>" % (len(entries), 7 * len(entries))
    out += b"%d 0 obj\n%s\nstream\n%s\nendstream\nendobj\n" % (number, head, b"".join(entries))
    return bytes(out) + b"startxref\n%d\n%%%%EOF\n" % start


def picture(filters: bytes, data: bytes, bits: int = 8) -> bytes:
    pdf = Pdf()
    space = b"DeviceGray" if bits == 1 else b"DeviceRGB"
    head = b"/Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent %d/ColorSpace/%s/Filter%s"
    image = pdf.stream(head % (SIDE, SIDE, bits, space, filters), data)
    return one_page(b"q 300 0 0 400 0 0 cm /X Do Q", b"/XObject<</X %s>>" % image, pdf=pdf).bytes()


def flate_picture() -> bytes:
    """All of its 12.7 GB are there."""
    return picture(b"[/FlateDecode/FlateDecode]", repeated(bytes(MIB), SIDE * SIDE * 3 // MIB + 1))


def jpeg_picture() -> bytes:
    size = struct.pack(">HH", SIDE, SIDE)
    return picture(
        b"/DCTDecode",
        b"\xff\xd8\xff\xc0\0\x11\x08" + size + b"\x03\x01\x11\0\x02\x11\0\x03\x11\0\xff\xd9",
    )


def jpeg2000_picture(tile: int) -> bytes:
    """A header that promises tiles of that size, and a code stream that ends after the first."""
    data = b"\xff\x4f\xff\x51\0\x2f\0\0" + struct.pack(">8I", SIDE, SIDE, 0, 0, tile, tile, 0, 0)
    data += b"\0\x03\x07\x01\x01\x07\x01\x01\x07\x01\x01\xff\x52\0\x0c\0\0\0\x01\0\x05\x04\x04\0\0"
    data += b"\xff\x5c\0\x04\x40\x40\xff\x90\0\x0a\0\0\0\0\0\x0e\0\x01\xff\x93\xff\xd9"
    return picture(b"/JPXDecode", data)


def jbig2_symbols() -> bytes:
    """A symbol dictionary that promises four billion symbols."""
    data = b"\0\0\0\0\x30\0\x01\0\0\0\x13" + struct.pack(">4I", SIDE, SIDE, 0, 0) + b"\0\0\0"
    data += b"\0\0\0\x01\0\0\x01\0\0\0\x12\0\0\x03\xff\xfd\xff\x02\xfe\xfe\xfe" + b"\xff" * 8
    return picture(b"/JBIG2Decode", data, 1)


def jbig2_regions() -> bytes:
    """A thousand generic regions, each as large as the page, of a few bytes."""
    data = b"\0\0\0\0\x30\0\x01\0\0\0\x13" + struct.pack(">4I", SIDE, SIDE, 0, 0) + b"\0\0\0"
    region = struct.pack(">4I", SIDE, SIDE, 0, 0) + b"\0\0\x03\xff\xfd\xff\x02\xfe\xfe\xfe\xfe" + bytes(16)
    for number in range(1, 1001):
        data += struct.pack(">IBBBI", number, 38, 0, 1, len(region)) + region
    return picture(b"/JBIG2Decode", data, 1)


def content_of_10_gib() -> bytes:
    pdf = Pdf()
    content = pdf.stream(b"/Filter[/FlateDecode/FlateDecode]", repeated(b" " * MIB, 10 * 1024))
    pdf.tree(pdf.page(content), 1)
    return pdf.bytes()


def objects_of_10_gib() -> bytes:
    pdf = one_page(b"0 0 9 9 re f")
    pdf.stream(b"/Type/ObjStm/N 1/First 4/Filter[/FlateDecode/FlateDecode]", repeated(b" " * MIB, 10 * 1024))
    return pdf.bytes()


def form(content: bytes, drawn: bytes, pdf: Pdf) -> bytes:
    return pdf.stream(b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<<%s>>>>" % drawn, content)


def form_that_draws_itself() -> bytes:
    pdf = Pdf()
    own = form(b"/X Do", b"/X 3 0 R", pdf)
    return one_page(b"/X Do", b"/XObject<</X %s>>" % own, pdf=pdf).bytes()


def form_drawn_a_billion_times() -> bytes:
    pdf = Pdf()
    last = form(b"0 0 1 1 re f", b"", pdf)
    for _ in range(10):
        last = form(b"/X Do " * 8, b"/X " + last, pdf)
    return one_page(b"/X Do", b"/XObject<</X %s>>" % last, pdf=pdf).bytes()


def ten_thousand_layers() -> bytes:
    pdf = Pdf()
    groups = b" ".join(pdf.add(b"<</Type/OCG/Name(layer %d)>>" % number) for number in range(10_000))
    pdf.catalog = b"/OCProperties<</OCGs[%s]/D<</Order[%s]/OFF[%s]>>>>" % (groups, groups, groups)
    return one_page(b"0 0 9 9 re f", pdf=pdf).bytes()


def endless_script() -> bytes:
    pdf = one_page(b"0 0 9 9 re f", more=b"/AA<</O<</S/JavaScript/JS(while(true){})>>>>")
    pdf.catalog = b"/OpenAction<</S/JavaScript/JS(while\\(true\\){})>>"
    return pdf.bytes()


def cross_reference_ring() -> bytes:
    return one_page(b"0 0 9 9 re f").bytes(b"/Prev HERE")


def deep_arrays() -> bytes:
    pdf = one_page(b"0 0 9 9 re f")
    pdf.catalog = b"/Deep " + b"[" * 100_000 + b"]" * 100_000
    return pdf.bytes()


FILES = {
    "content-of-10-gib": content_of_10_gib,
    "cross-reference-ring": cross_reference_ring,
    "deep-arrays": deep_arrays,
    "endless-script": endless_script,
    "form-drawn-a-billion-times": form_drawn_a_billion_times,
    "form-that-draws-itself": form_that_draws_itself,
    "jbig2-regions": jbig2_regions,
    "jbig2-symbols": jbig2_symbols,
    "million-pages": million_pages,
    "objects-of-10-gib": objects_of_10_gib,
    "page-named-a-million-times": page_named_a_million_times,
    "page-tree-ring": page_tree_ring,
    "picture-flate": flate_picture,
    "picture-jpeg": jpeg_picture,
    "picture-jpeg2000": lambda: jpeg2000_picture(SIDE),
    "picture-jpeg2000-tiles": lambda: jpeg2000_picture(1),
    "ten-thousand-layers": ten_thousand_layers,
}

if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in FILES.items():
        (FOLDER / f"{name}.pdf").write_bytes(make())
