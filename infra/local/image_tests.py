"""Tests of the worker's image that don't need it to be built. Run by `make check`; `make test-image` builds it."""

import re
import shutil
import stat
import subprocess
import unittest
from pathlib import Path

from local.settings import ROOT

IMAGE = ROOT / "infra/worker"
DOCKERFILE = (IMAGE / "Dockerfile").read_text()
INSTALL = (IMAGE / "install.sh").read_text()
PACKAGES = [line for line in (IMAGE / "packages").read_text().splitlines() if not line.startswith("#")]


def apt_knows_packages() -> bool:
    """Whether this machine runs the image's Debian release with package lists."""
    (suite,) = re.findall(r"^FROM debian:(\w+)-slim@sha256:\w+$", DOCKERFILE, re.M)
    release = Path("/etc/os-release")
    same = release.exists() and f"VERSION_CODENAME={suite}\n" in release.read_text()
    return same and shutil.which("apt-get") is not None and any(Path("/var/lib/apt/lists").glob("*Packages*"))


class Image(unittest.TestCase):
    def test_the_context_holds_exactly_what_is_copied(self):
        copied = {part for line in re.findall(r"^COPY (.+) \S+$", DOCKERFILE, re.M) for part in line.split()}
        admitted = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
        self.assertEqual(copied, admitted)

    def test_every_step_of_the_script_is_run_in_order_and_the_last_user_has_no_rights(self):
        self.assertEqual(re.findall(r"install\.sh (\w+)", DOCKERFILE), ["packages", "settle", "check"])
        self.assertEqual(re.findall(r"^USER (\w+)$", DOCKERFILE, re.M), ["docmill"])
        self.assertIn("useradd --uid \"$USER_ID\" --no-create-home", INSTALL)
        worker = re.search(r"^WORKER=(\S+)$", INSTALL, re.M).group(1)
        self.assertIn(f'ENTRYPOINT ["{worker}"]', DOCKERFILE)

    def test_nothing_but_tmp_is_written_to(self):
        self.assertIn("ENV HOME=/tmp TMPDIR=/tmp", DOCKERFILE)

    def test_the_scripts_can_be_run(self):
        for name in ("install.sh", "like-lambda.sh", "test-image.sh", "test-runner.sh"):
            self.assertTrue((IMAGE / name).stat().st_mode & stat.S_IXUSR, name)

    def test_packages_are_sorted_and_named_once(self):
        self.assertEqual(PACKAGES, sorted(set(PACKAGES)))

    @unittest.skipUnless(apt_knows_packages(), "not the image's Debian, or without package lists")
    def test_debian_has_the_packages_and_they_go_together(self):
        command = ["apt-get", "install", "--simulate", "--no-install-recommends", *PACKAGES]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0, ended.stderr)


if __name__ == "__main__":
    unittest.main()
