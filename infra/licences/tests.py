"""Tests how licences are read, with small made-up files. Run by `make check`."""

import unittest
import unittest.mock
from pathlib import Path
from tempfile import TemporaryDirectory

from . import crates, image, table


class Image(unittest.TestCase):
    def test_sources_have_their_packages_and_all_licences(self):
        with TemporaryDirectory() as folder:
            root = Path(folder)
            self.write(root / "var/lib/dpkg/status", STATUS)
            self.write(root / "usr/share/doc/libx/copyright", "Files: *\nLicense: GPL-2+ or MIT\n\nFiles: y\nLicense: Zlib, ISC\n")
            quoted = "See /usr/share/common-licenses/GPL-3.\nRedistribution and use in source and binary forms, …"
            self.write(root / "usr/share/doc/x-data/copyright", quoted)
            with unittest.mock.patch.object(image, "_packages", lambda root, patterns: ["libx"]):
                [source] = image.read(root)
        self.assertEqual((source.name, source.packages, source.loaded), ("x", ("libx", "x-data"), ("office", "pdf")))
        self.assertEqual(source.licences, ("BSD", "GPL-2+", "GPL-3", "ISC", "MIT", "Zlib"))

    def test_a_replaced_file_belongs_to_no_package(self):
        with TemporaryDirectory() as folder:
            root = Path(folder)
            self.write(root / "var/lib/dpkg/info/libx.list", "/usr/lib/libx.so.1\n")
            self.write(root / "var/lib/dpkg/info/liby:amd64.list", "/usr/lib/liby.so.1\n")
            self.write(root / "var/lib/dpkg/diversions", "/usr/lib/libx.so.1\n/usr/lib/libx.so.1.other\n:\n")
            said = unittest.mock.Mock(stdout="libx.so.1 => /usr/lib/libx.so.1 (0x0)\nliby.so.1 => /usr/lib/liby.so.1 (0x0)\n")
            with unittest.mock.patch.object(image.subprocess, "run", return_value=said):
                self.assertEqual(list(image._packages(root, ["usr/lib/*.so"])), ["liby"])

    @staticmethod
    def write(path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


STATUS = """\
Package: libx
Status: install ok installed
Source: x (1.0)

Package: x-data
Status: install ok installed
Source: x

Package: gone
Status: deinstall ok config-files
"""


class Crates(unittest.TestCase):
    def test_what_only_tests_or_builds_is_left_out(self):
        def package(name, licence="MIT"):
            return {"id": name, "name": name, "license": licence}

        def uses(name, *others):
            return {"id": name, "deps": [{"pkg": other, "dep_kinds": [{"kind": kind}]} for other, kind in others]}

        metadata = {
            "packages": [package(name) for name in ("worker", "bench-api", "a", "b", "c", "d")] + [package("e", "MIT/Zlib")],
            "workspace_members": ["worker", "bench-api"],
            "resolve": {
                "nodes": [
                    uses("worker", ("a", None), ("b", "dev"), ("c", "build")), uses("bench-api", ("d", None)),
                    uses("a", ("e", None)), *(uses(name) for name in "bcde"),
                ]
            },
        }
        self.assertEqual(crates.shipped(metadata), {"a": "MIT", "e": "MIT OR Zlib"})


class Table(unittest.TestCase):
    def test_the_gpl_alone_is_found(self):
        def source(name, licences, loaded=("pdf",)):
            return image.Source(name, (name,), licences, loaded)

        found = table.copyleft(
            [source("a", ("GPL-2+",)), source("b", ("GPL-2+", "MIT")), source("c", ("GPL-3",), ()), source("d", ("LGPL-2+",))]
        )
        self.assertEqual(found, ["a"])

    def test_a_row_says_who_loads_it(self):
        text = table.of_all({"serde": "MIT"}, [image.Source("x", ("libx", "x"), ("MIT", "Zlib"), ("pdf",))])
        self.assertIn("| Rust crate | serde | MIT |  |\n", text)
        self.assertIn("| Debian | x (libx, x) | MIT, Zlib | pdf |\n", text)


if __name__ == "__main__":
    unittest.main()
