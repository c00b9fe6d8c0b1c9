"""Tests of releases: the archive's bytes and content, its commands, the SBOM, and what is refused. Run by `make check`."""

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

from licences import __main__ as licences
from licences.image import Source
from local.errors import Problem
from local.settings import ROOT

from release import archive, repository, sbom

FUNCTIONS = sorted(archive.of_template(ROOT))


class Archives(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def build(self, name: str) -> archive.Build:
        """The same build in a folder of its own, compiled at another time by another user."""
        built = self.folder / name
        for each in FUNCTIONS:
            self.program(built / "lambda" / each / "bootstrap", each)
        programs = [self.program(built / each, each) for each in ("docmill-admin", "docmill")]
        return archive.Build(ROOT, built / "lambda", tuple(programs), "0.1.0", "arm64", 1_764_000_000, b'{"bomFormat": "CycloneDX"}')

    def program(self, path: Path, text: str) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n# {text}\n")
        path.chmod(0o700 if "one" in str(path) else 0o777)
        os.utime(path, (time.time() - 5000,) * 2 if "one" in str(path) else None)
        return path

    def packed(self, name: str = "one") -> Path:
        return archive.pack(self.build(name), self.folder / f"out-{name}")

    def unpacked(self) -> Path:
        with tarfile.open(self.packed()) as file:
            file.extractall(self.folder, filter="data")
        return self.folder / "docmill-0.1.0-arm64"

    def test_two_packings_of_a_build_are_equal_byte_by_byte(self):
        one, two = self.packed("one"), self.packed("two")
        self.assertEqual(one.name, "docmill-0.1.0-arm64.tar.gz")
        self.assertEqual(one.read_bytes(), two.read_bytes())
        written = one.with_name(f"{one.name}.sha256").read_text()
        self.assertEqual(written, f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.name}\n")

    def test_entries_are_sorted_and_have_no_owner_and_one_time(self):
        with tarfile.open(self.packed()) as file:
            entries = file.getmembers()
        names = [each.name for each in entries]
        self.assertEqual(names, sorted(names))
        self.assertEqual({(each.uid, each.gid, each.uname, each.gname, each.mtime) for each in entries}, {(0, 0, "", "", 1_764_000_000)})
        modes = {each.name.removeprefix("docmill-0.1.0-arm64/"): each.mode for each in entries}
        self.assertEqual(modes["bin/docmill-admin"], 0o755)
        self.assertEqual(modes["infra/setup.sh"], 0o755)
        self.assertEqual(modes["template.yaml"], 0o644)

    def test_it_holds_the_image_context_and_the_stamp_without_which_sam_builds_nothing(self):
        root = self.unpacked()
        admitted = [line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")]
        self.assertIn("target/lambda/worker/parameters", admitted)
        for each in admitted:
            self.assertTrue((root / each).exists(), each)
        fonts = {path.name for path in (ROOT / "infra/worker/fonts").iterdir() if path.suffix in (".ttf", ".txt")}
        self.assertEqual({path.name for path in (root / "infra/worker/fonts").iterdir()}, fonts)
        for each in FUNCTIONS:
            self.assertRegex((root / "target/lambda" / each / "parameters").read_text(), "^[0-9a-f]{64}\n$")
        self.assertEqual((root / "target/lambda/built-on").read_text(), "2025-11-24\n")
        self.assertEqual((root / "VERSION").read_text(), "0.1.0\n")

    def test_its_commands_work_where_nothing_else_is(self):
        root = self.unpacked()
        listed = subprocess.run(["make"], cwd=root, capture_output=True, text=True, check=True).stdout
        for command in ("deploy", "deploy-check", "deploy-smoke", "rollback", "teardown"):
            self.assertRegex(listed, rf"(?m)^  {command} ")
        planned = subprocess.run(
            ["make", "--dry-run", "deploy", "ARCHITECTURE=x86_64", "PARAMETERS=OidcClientSecret=hidden"],
            cwd=root, capture_output=True, text=True, check=True,
        ).stdout
        self.assertNotIn("cargo", planned)
        self.assertIn("-m deployment deploy", planned)
        # Every module that the commands import is there.
        programs = "import deployment.__main__, preflight.__main__, smoke.__main__"
        environment = {"PYTHONPATH": str(root / "infra"), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
        subprocess.run([deployer(), "-c", programs], cwd=root, env=environment, check=True)

    def test_it_is_for_one_architecture(self):
        said = subprocess.run(
            ["make", "--no-print-directory", "--eval", "show: ; @printenv STAMPED", "show", "ARCHITECTURE=x86_64"],
            cwd=self.unpacked(), capture_output=True, text=True, check=True,
        )
        self.assertEqual(said.stdout.strip(), "Architecture=arm64")

    def test_what_was_changed_is_not_unpacked(self):
        good = self.packed()
        # In a repository of its own, since it unpacks below it.
        script = self.folder / "repository/infra/release/unpack.sh"
        script.parent.mkdir(parents=True)
        shutil.copy(ROOT / "infra/release/unpack.sh", script)
        said = subprocess.run([script, good], capture_output=True, text=True, check=True)
        root = Path(said.stdout.strip())
        self.assertEqual((root / "VERSION").read_text(), "0.1.0\n")
        (root / "template.yaml").write_text("Resources: {}\n")
        changed = self.folder / good.name
        with tarfile.open(changed, "w:gz") as file:
            file.add(root, arcname=root.name)
        refused = subprocess.run([script, changed], capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("differ from SHA256SUMS", refused.stderr)

    def test_a_release_compiles_each_dependency_once(self):
        """Functions and programs in one call of cargo, without an LTO for each; on another kind of machine, the programs again for it."""
        for architecture, calls in ((platform.machine().replace("aarch64", "arm64"), 1 if sys.platform == "linux" else 2), ("of-another-machine", 2)):
            planned = subprocess.run(
                ["make", "--dry-run", "release", f"ARCHITECTURE={architecture}"], cwd=ROOT, capture_output=True, text=True, check=True,
            ).stdout
            compiled = re.findall(r"cargo (?:lambda )?build .*", planned)
            self.assertEqual(len(compiled), calls, compiled)
            self.assertIn("--profile release --disable-optimizations --locked --workspace --exclude bench-api", compiled[0])
            self.assertEqual(planned.count("--remap-path-prefix="), 2 * calls)

    def test_nothing_is_packed_without_a_function_of_the_template(self):
        shutil.rmtree(self.folder / "one", ignore_errors=True)
        build = self.build("one")
        shutil.rmtree(build.functions / "get-job")
        with self.assertRaisesRegex(Problem, "get-job, which template.yaml deploys, is not in .*build-lambda"):
            archive.pack(build, self.folder)


def deployer() -> str:
    """An interpreter with boto3 and PyYAML: that of the local stack, which `make check` has too."""
    return subprocess.run([ROOT / "infra/setup.sh", "python", "local"], capture_output=True, text=True, check=True).stdout.strip()


class Bills(unittest.TestCase):
    METADATA = {
        "packages": [
            {"id": "worker", "name": "worker", "version": "0.1.0", "license": None},
            {"id": "serde", "name": "serde", "version": "1.0.228", "license": "MIT OR Apache-2.0"},
        ],
        "workspace_members": ["worker"],
        "resolve": {"nodes": [{"id": "worker", "deps": [{"pkg": "serde", "dep_kinds": [{"kind": None}]}]}, {"id": "serde", "deps": []}]},
    }

    def bill(self, versions: dict[str, str]) -> dict:
        sources = [Source("zlib", ("zlib1g",), ("Zlib",), ("pdf",)), Source("x", ("libx", "x"), ("MIT", "Zlib"), ())]
        return json.loads(sbom.of_release(ROOT, "0.1.0", 1_764_000_000, self.METADATA, sources, versions))

    def test_it_names_crates_debian_packages_fonts_and_what_deploys(self):
        bill = self.bill({"zlib1g": "1:1.3.dfsg-3"})
        parts = {each["bom-ref"]: each for each in bill["components"]}
        self.assertEqual((bill["bomFormat"], bill["specVersion"], bill["metadata"]["component"]["version"]), ("CycloneDX", "1.6", "0.1.0"))
        self.assertEqual(parts["pkg:cargo/serde@1.0.228"]["licenses"], [{"expression": "MIT OR Apache-2.0"}])
        zlib = next(each for each in bill["components"] if each["name"] == "zlib1g")
        self.assertEqual((zlib["version"], zlib["licenses"][0]["license"]["id"]), ("1:1.3.dfsg-3", "Zlib"))
        self.assertTrue(zlib["purl"].startswith("pkg:deb/debian/zlib1g@"))
        unversioned = next(each for each in bill["components"] if each["name"] == "libx")
        self.assertNotIn("version", unversioned)
        self.assertEqual([each["value"] for each in unversioned["properties"]], ["MIT", "Zlib", "image"])
        self.assertTrue(any(each["name"] == "debian" and each["type"] == "container" for each in bill["components"]))
        tool = next(each for each in bill["components"] if each["name"] == "aws-sam-cli")
        self.assertEqual(tool["scope"], "excluded")
        self.assertIn("font:Gelasio", parts)
        (own,) = [each for each in bill["dependencies"] if each["ref"] == "docmill"]
        self.assertEqual(set(own["dependsOn"]), set(parts))

    def test_it_is_the_same_every_time(self):
        self.assertEqual(self.bill({}), self.bill({}))
        self.assertTrue(self.bill({})["metadata"]["timestamp"].startswith("2025-11-24T"))

    def test_all_packages_of_the_image_are_in_it(self):
        wanted = {line for line in (ROOT / "infra/worker/packages").read_text().splitlines() if not line.startswith("#")}
        named = {each.name for each in sbom.of_debian(licences.recorded(), {})}
        self.assertEqual(wanted - named, set())

    def test_versions_come_from_the_images_own_list(self):
        with tempfile.NamedTemporaryFile("w") as status:
            status.write("Package: libx\nStatus: install ok installed\nVersion: 1.2-3\n\nPackage: y\nVersion: 2\n")
            status.flush()
            self.assertEqual(sbom.installed(Path(status.name)), {"libx": "1.2-3", "y": "2"})


class Repositories(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "Cargo.toml").write_text('[workspace.package]\nversion = "0.2.0"\n')
        self.write_changelog("")
        repository.git(self.root, "init", "--quiet")
        repository.git(self.root, "config", "user.email", "test@example.com")
        repository.git(self.root, "config", "user.name", "Test")
        self.commit()

    def write_changelog(self, unreleased: str, heading: str = "## 0.2.0 (2026-11-27)") -> None:
        (self.root / "CHANGELOG.md").write_text(f"# Changelog\n\n## Unreleased\n\n{unreleased}\n{heading}\n\n- A thing.\n")

    def commit(self) -> None:
        repository.git(self.root, "add", "--all")
        repository.git(self.root, "commit", "--quiet", "--message", "Change")

    def refused(self, reason: str) -> None:
        with self.assertRaisesRegex(Problem, reason):
            repository.require_releasable(self.root)

    def test_a_commit_is_tagged_once_with_its_version(self):
        repository.require_releasable(self.root)
        self.assertEqual(repository.tag(self.root), "v0.2.0")
        self.assertEqual(repository.git(self.root, "cat-file", "-t", "v0.2.0"), "tag")
        # Again, for another architecture.
        repository.require_releasable(self.root)
        self.assertEqual(repository.tag(self.root), "v0.2.0")
        (self.root / "more").write_text("")
        self.commit()
        self.refused("v0.2.0 is another commit already")

    def test_a_dirty_tree_is_not_released(self):
        (self.root / "stray.txt").write_text("")
        self.refused("stray.txt is not committed")

    def test_a_release_says_what_it_is(self):
        self.write_changelog("", "## 0.1.0 (2026-11-27)")
        self.commit()
        self.refused("no section `## 0.2.0")
        self.write_changelog("- Forgotten.\n")
        self.commit()
        self.refused("lines under Unreleased")

    def test_the_projects_own_version_and_changelog_are_read(self):
        number = repository.version(ROOT)
        self.assertIn(f"\n## {number} (", (ROOT / "CHANGELOG.md").read_text())
        self.assertLess(len((ROOT / "CHANGELOG.md").read_bytes()), 12_000, "CHANGELOG.md is too long: shorten older lines under Unreleased")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    unittest.main()
