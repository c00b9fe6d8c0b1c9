"""First deployment, upgrade, rollback and teardown in moto's CloudFormation, with change sets as on AWS. Run by `make test-cloudformation`.

moto carries out no imports, protects no stacks and says nothing of what a change set replaces: that is tried in `deployment.tests`.
"""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
from collections.abc import Callable
from contextlib import redirect_stdout
from copy import deepcopy
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
from local.cloudformation_tests import packaged, put_package
from local.errors import Problem
from local.settings import ROOT
from local.stacks import describe
from moto import mock_aws
from release import archive

from deployment import __main__ as commands
from deployment import build, changes, deploy, places, records, rollback, teardown, templates
from deployment.deploy import Clients, Release
from deployment.places import Places

ACCOUNT, REGION, STACK = "123456789012", "us-east-1", "docmill"
REGISTRY = f"{ACCOUNT}.dkr.ecr.{REGION}.amazonaws.com"


class Protected:
    """CloudFormation with termination protection, which moto lacks."""

    def __init__(self, client: Any):
        self.client = client
        self.protected = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.client, name)

    def update_termination_protection(self, StackName: str, EnableTerminationProtection: bool) -> None:
        self.protected = EnableTerminationProtection

    def delete_stack(self, StackName: str) -> None:
        assert not self.protected, "the stack is protected"
        self.client.delete_stack(StackName=StackName)


class Lifecycle(unittest.TestCase):
    def setUp(self):
        mocked = mock_aws(config={"lambda": {"use_docker": False}})
        mocked.start()
        self.addCleanup(mocked.stop)
        session = boto3.Session(region_name=REGION)
        self.clients = Clients(Protected(session.client("cloudformation")), session.client("s3"), session)
        self.places = Places(ACCOUNT, REGION, STACK)
        put_package(self.clients.s3)
        places.ensure_bucket(self.clients.s3, self.places)
        places.ensure_repository(session.client("ecr"), self.places)
        self.said: list[str] = []

    def release(self, version: str, change: Callable[[dict], None] = lambda template: None) -> Release:
        """A release with an image of its own."""
        digest = self.push(version)
        template = packaged()
        for each in template["Resources"].values():
            # moto knows this policy by its older name only.
            if each.get("DeletionPolicy") == "RetainExceptOnCreate":
                each["DeletionPolicy"] = "Retain"
            if "ImageUri" in each.get("Properties", {}).get("Code", {}):
                each["Properties"]["Code"]["ImageUri"] = f"{REGISTRY}/{self.places.repository}@{digest}"
        change(template)
        return Release(version, template)

    def push(self, version: str) -> str:
        kind = "application/vnd.docker.distribution.manifest.v2+json"
        manifest = json.dumps({"schemaVersion": 2, "mediaType": kind, "config": {"size": 1, "digest": version}, "layers": []})
        image = self.clients.session.client("ecr").put_image(
            repositoryName=self.places.repository, imageManifest=manifest, imageTag=f"worker-{version}",
            imageDigest=f"sha256:{version.replace('.', '0'):0>64}",
        )
        return image["image"]["imageId"]["imageDigest"]

    def deploy(self, release: Release, **given: str) -> None:
        self.assertTrue(deploy.deploy(self.clients, self.places, release, given, lambda question: True, self.said.append, 0))

    def rollback(self, to: str | None = None) -> None:
        self.assertTrue(rollback.rollback(self.clients, self.places, to, lambda question: True, self.said.append, 0))

    def image(self) -> str:
        (uri,) = templates.images(teardown.present_template(self.clients, STACK))
        return uri

    def present(self) -> dict[str, str]:
        return changes.values(describe(self.clients.cloudformation, STACK))

    def names(self) -> dict[str, str]:
        return deploy.data_of(self.clients, packaged(), STACK)

    def put(self, table: str) -> Callable[[], dict]:
        """Stores an item, and returns how to read it."""
        dynamodb = self.clients.session.client("dynamodb")
        key = {"kind": {"S": "plan"}, "id": {"S": "free"}}
        dynamodb.put_item(TableName=table, Item=key | {"credits": {"N": "500"}})
        return lambda: dynamodb.get_item(TableName=table, Key=key)["Item"]["credits"]

    def test_a_release_is_created_upgraded_and_rolled_back(self):
        first = self.release("0.1.0")
        self.deploy(first, LogLevel="info")
        self.assertTrue(self.clients.cloudformation.protected)
        made, old_image = self.names(), self.image()
        read = self.put(made["SettingsTable"])

        second = self.release("0.2.0", with_more)
        self.deploy(second, LogLevel="debug", Bound="7")
        self.assertNotEqual(self.image(), old_image)
        self.assertEqual(self.present()["Bound"], "7")

        self.rollback()
        self.assertEqual(self.image(), old_image)
        self.assertEqual(self.present()["LogLevel"], "info")
        # At once, whatever alarm is on.
        self.assertEqual(self.present()["GradualDeployments"], "false")
        self.assertEqual(self.names(), made, "tables, bucket and secrets are those of before")
        self.assertEqual(read(), {"N": "500"})
        # What the upgrade has added holds data, and stays in the stack.
        resources = changes_of(self.clients)
        self.assertIn("NotesTable", resources)
        self.assertEqual([each.version for each in self.records()], ["0.1.0", "0.2.0", "0.1.0"])
        self.assertEqual(self.records()[-1].repeats, self.records()[0].id)

        self.deploy(second)
        self.assertEqual(self.present()["GradualDeployments"], "true", "only the rollback went without")
        self.assertEqual(changes_of(self.clients)["NotesTable"], resources["NotesTable"])
        self.rollback("0.1.0")
        self.assertEqual(self.image(), old_image)

    def test_the_commands_that_make_calls_do_it_all(self):
        """With a stand-in for SAM, which needs Docker: it writes down how it was called, and packages this release's template."""
        release = self.release("0.1.0")
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "template.json").write_text(json.dumps(release.template))
            script = f'#!/bin/sh\necho "$*" >>{folder}/calls\n[ "$1" = build ] || cp {folder}/template.json {folder}/packaged.yaml\n'
            (folder / "sam").write_text(script)
            (folder / "sam").chmod(0o755)
            environment = {"PATH": f"{folder}:{os.environ['PATH']}", "STAMPED": "Architecture=x86_64 LogLevel=warn OidcClientSecret=hidden", "AWS_REGION": REGION}
            with patch.dict(os.environ, environment), patch.object(build, "PACKAGED", folder / "packaged.yaml"), patch.object(build, "version", lambda: "0.1.0"):
                with patch.object(deploy, "protect", lambda *_: None), redirect_stdout(io.StringIO()) as said:
                    self.assertEqual(commands.main(["deploy", "--yes"]), 0)
                    self.assertEqual(commands.main(["list"]), 0)
            calls = (folder / "calls").read_text()
        self.assertEqual(self.present()["LogLevel"], "warn")
        self.assertRegex(said.getvalue(), r"\n\d{8}T\S+Z  0\.1\.0\n$")
        self.assertRegex(calls, rf"^build .*ParameterValue=x86_64\npackage .*--s3-bucket {self.places.bucket} .*--image-repository {REGISTRY}/docmill/docmill ")
        self.assertNotIn("hidden", calls + said.getvalue())

    def test_an_archive_alone_is_deployed(self):
        """With the archive's own modules, in its folder, where no compiler is on the PATH. SAM's stand-in finds what it would build."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            root = unpacked(folder)
            (folder / "template.json").write_text(json.dumps(self.release("0.1.0").template))
            (folder / "driver.py").write_text(ARCHIVES_DRIVER)
            (folder / "sam").write_text(ARCHIVES_SAM)
            (folder / "sam").chmod(0o755)
            environment = {
                "PATH": f"{folder}:/usr/bin:/bin", "PYTHONPATH": str(root / "infra"), "PYTHONDONTWRITEBYTECODE": "1", "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test", "AWS_DEFAULT_REGION": REGION, "STAMPED": "Architecture=x86_64", "TEMPLATE": str(folder / "template.json"),
            }
            said = subprocess.run([sys.executable, folder / "driver.py"], cwd=root, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)
        self.assertIn("0.9.0 CREATE_COMPLETE", said.stdout)

    def test_a_rollback_without_its_image_or_package_is_refused_before_anything_changes(self):
        self.deploy(self.release("0.1.0"))
        self.deploy(self.release("0.2.0"))
        present = self.image()
        self.clients.session.client("ecr").batch_delete_image(
            repositoryName=self.places.repository, imageIds=[{"imageTag": "worker-0.1.0"}]
        )
        with self.assertRaisesRegex(Problem, r"sha256:\w+ of 0\.1\.0 is gone"):
            self.rollback()
        self.assertEqual(self.image(), present)
        with self.assertRaisesRegex(Problem, "no earlier deployment 0.0.9"):
            self.rollback("0.0.9")

    def test_a_teardown_exports_and_keeps_data_and_keys(self):
        self.deploy(self.release("0.1.0"))
        made = self.names()
        read = self.put(made["SettingsTable"])
        for name, table in made.items():
            if name.endswith("Table"):
                self.back_up(table)
        self.clients.s3.put_object(Bucket=made["FilesBucket"], Key="fonts/a", Body=b"font")
        with self.assertRaisesRegex(Problem, "not its name"):
            teardown.teardown(self.clients, self.places, lambda question: "another", self.said.append, pause=0)
        self.assertIsNotNone(describe(self.clients.cloudformation, STACK))
        self.assertTrue(self.clients.cloudformation.protected)

        self.teardown([STACK])
        self.assertIsNone(describe(self.clients.cloudformation, STACK))
        exported = [each["Key"] for each in teardown.objects(self.clients.s3, self.places.bucket)]
        (listing,) = [key for key in exported if key.endswith("/FilesBucket.txt")]
        body = self.clients.s3.get_object(Bucket=self.places.bucket, Key=listing)["Body"].read().decode()
        self.assertRegex(body, r"^4 \S+ fonts/a\n$")
        for name in made:
            self.assertIn(f"  {name} ", "\n".join(self.said))
        self.assertEqual(self.records()[-1].data, made)
        self.assertEqual(read(), {"N": "500"})

    def test_data_is_deleted_if_asked_for_also_later_and_keys_last(self):
        self.deploy(self.release("0.1.0"))
        made = self.names()
        for name, table in made.items():
            if name.endswith("Table"):
                self.back_up(table)
        self.clients.s3.put_object(Bucket=made["FilesBucket"], Key="fonts/a", Body=b"font")
        with self.assertRaisesRegex(Problem, "not to be deleted"):
            self.teardown([STACK, "yes"], with_data=True)
        self.assertTrue(self.clients.cloudformation.protected)
        self.teardown([STACK])
        with self.assertRaisesRegex(Problem, "no stack docmill"):
            self.teardown([])
        self.teardown([f"delete the data of {STACK}"], with_data=True)
        tables = self.clients.session.client("dynamodb").list_tables()["TableNames"]
        buckets = [each["Name"] for each in self.clients.s3.list_buckets()["Buckets"]]
        self.assertEqual((tables, made["FilesBucket"] in buckets), ([], False))
        self.assertIn(self.places.bucket, buckets)
        self.assertEqual(self.said[-1].split()[0], "Deleted")
        with self.assertRaisesRegex(Problem, "nothing is left"):
            self.teardown([], with_data=True)

    def test_each_kind_is_found_and_deleted(self):
        """Secrets and user pools too, which moto's CloudFormation does not create."""
        session = self.clients.session
        secret = session.client("secretsmanager").create_secret(Name="WebhookKey-1", SecretString="x")["ARN"]
        pool = session.client("cognito-idp").create_user_pool(PoolName="docmill", DeletionProtection="ACTIVE")["UserPool"]["Id"]
        for kind, physical in {"AWS::SecretsManager::Secret": secret, "AWS::Cognito::UserPool": pool}.items():
            self.assertTrue(deploy.exists(session, kind, physical), kind)
            teardown.delete(self.clients, kind, physical)
            self.assertFalse(deploy.exists(session, kind, physical), kind)
        self.assertFalse(deploy.exists(session, "AWS::S3::Bucket", "docmill-of-nobody"))

    def back_up(self, table: str) -> None:
        """What moto leaves out of a table's properties."""
        self.clients.session.client("dynamodb").update_continuous_backups(
            TableName=table, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True}
        )

    def teardown(self, answers: list[str], with_data: bool = False) -> None:
        left = iter(answers)
        teardown.teardown(self.clients, self.places, lambda question: next(left), self.said.append, with_data, pause=0)

    def records(self) -> list[records.Record]:
        return records.read_all(self.clients.s3, self.places)


def changes_of(clients: Clients) -> dict[str, str]:
    pages = clients.cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK)
    return {each["LogicalResourceId"]: each["PhysicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}


def unpacked(folder: Path) -> Path:
    """A release's archive with programs of one line, unpacked."""
    programs = [folder / "lambda" / each / "bootstrap" for each in archive.of_template(ROOT)] + [folder / "docmill-admin", folder / "docmill"]
    for each in programs:
        each.parent.mkdir(parents=True, exist_ok=True)
        each.write_text("#!/bin/sh\n")
    packed = archive.pack(archive.Build(ROOT, folder / "lambda", tuple(programs[-2:]), "0.9.0", "x86_64", 0, b"{}"), folder / "packed")
    with tarfile.open(packed) as file:
        file.extractall(folder / "unpacked", filter="data")
    return folder / "unpacked/docmill-0.9.0-x86_64"


# In a process of its own, which imports the archive's modules.
ARCHIVES_DRIVER = """
import io, json, os, zipfile
from pathlib import Path
from unittest.mock import patch
import boto3
from moto import mock_aws
import deployment
from deployment import __main__ as commands, deploy, places

assert Path(deployment.__file__).is_relative_to(Path.cwd()), deployment.__file__
template = json.loads(Path(os.environ["TEMPLATE"]).read_text())
with mock_aws(config={"lambda": {"use_docker": False}}):
    s3, cloudformation, ecr = (boto3.client(each) for each in ("s3", "cloudformation", "ecr"))
    s3.create_bucket(Bucket="code")
    package = io.BytesIO()
    zipfile.ZipFile(package, "w").close()
    for each in Path("target/lambda").iterdir():
        s3.put_object(Bucket="code", Key=f"{each.name}.zip", Body=package.getvalue())
    where = places.find(boto3.Session(), "docmill")
    places.ensure_repository(ecr, where)
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json", "config": {"size": 1, "digest": "0.1.0"}, "layers": []}
    ecr.put_image(repositoryName=where.repository, imageManifest=json.dumps(manifest), imageTag="worker-0.1.0", imageDigest=f"sha256:{'00100':0>64}")
    with patch.object(deploy, "protect", lambda *_: None):
        assert commands.main(["deploy", "--yes"]) == 0
    commands.main(["list"])
    (stack,) = cloudformation.describe_stacks(StackName="docmill")["Stacks"]
    print(Path("VERSION").read_text().strip(), stack["StackStatus"])
"""
ARCHIVES_SAM = r"""#!/bin/sh
set -eu
case $1 in
build)
    for each in $(sed -nE 's/^ *CodeUri: //p' template.yaml); do test -x "$each/bootstrap" && test -s "$each/parameters"; done
    for each in $(sed -n 's/^!//p' .dockerignore) $(grep -oE 'infra/worker/Dockerfile' template.yaml | head -1); do test -e "$each"; done
    ! command -v cargo rustc ;;
package) mkdir -p target && cp "$TEMPLATE" target/packaged.yaml ;;
esac
"""


def with_more(template: dict) -> None:
    """A later release: a parameter, and a table."""
    template["Parameters"]["Bound"] = {"Type": "Number", "Default": 5}
    template["Resources"]["NotesTable"] = deepcopy(template["Resources"]["SettingsTable"])


if __name__ == "__main__":
    unittest.main()
