"""Tests which parts of the real template the localized one keeps. Run by `make check`."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import Mock, patch

from local import deploy, envfile, localize, log_lines, package, suites
from local.settings import ROOT, Settings
from local.stack import Stack

TEMPLATE = localize.load(ROOT / "template.yaml")


def localized(network: str = localize.OPEN) -> localize.Template:
    code = {name: f"s3://code/{name}.zip" for name in localize.functions(TEMPLATE)}
    return localize.localize(TEMPLATE, "http://localhost:4566", code, {"LOCAL_MODE": "true"}, network)


def endpoints() -> set[str]:
    """The template's routes, which `tests/it/contract.rs` compares with those of the code."""
    events = [event for each in localize.functions(TEMPLATE).values() for event in each["Properties"].get("Events", {}).values()]
    routes = [event["Properties"] for event in events if event["Type"] == "HttpApi"]
    return {f"{route['Method']} {route['Path']}" if "Path" in route else "$default" for route in routes}


def of_type(template: localize.Template, kind: str) -> list[localize.Template]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == kind]


class Localize(unittest.TestCase):
    def test_every_endpoint_keeps_its_route(self):
        routes = of_type(localized(), "AWS::ApiGatewayV2::Route")
        self.assertEqual({route["RouteKey"] for route in routes}, endpoints())
        self.assertLessEqual({"POST /v1/jobs", "GET /docs/{page+}", "$default"}, endpoints())

    def test_every_function_becomes_a_zip_with_the_local_settings(self):
        local = localize.functions(localized())
        self.assertEqual(local.keys(), localize.functions(TEMPLATE).keys())
        for name, function in local.items():
            properties = function["Properties"]
            self.assertEqual(properties["CodeUri"], f"s3://code/{name}.zip")
            self.assertNotIn("PackageType", properties)
            self.assertEqual(properties["Environment"]["Variables"]["LOCAL_MODE"], "true")

    def test_only_the_workers_that_are_isolated_on_aws_are_told_so_here(self):
        for network in ("open", "isolated"):
            variables = {name: each["Properties"]["Environment"]["Variables"] for name, each in localize.functions(localized(network)).items()}
            told = {name: each["CONVERTER_NETWORK"] for name, each in variables.items() if "CONVERTER_NETWORK" in each}
            self.assertEqual(told, {"OfficeWorker": network, "PdfWorker": network})

    def test_the_pages_and_the_sign_in_know_the_emulators_address(self):
        local = localized()
        address = {"Fn::Sub": "http://localhost:4566/_aws/execute-api/${Api}"}
        self.assertNotIn("ApiEndpoint", str(local))
        described = {"Fn::Sub": "http://localhost:4566/${UserPool}/.well-known/openid-configuration"}
        for function in ("Dashboard", "Administration"):
            variables = local["Resources"][function]["Properties"]["Environment"]["Variables"]
            self.assertIn(str(address), str(variables["DASHBOARD_URL"]))
            self.assertIn("OIDC_CLIENT_ID", variables)
            self.assertEqual(variables["OIDC_DISCOVERY_URL"], described)

    def test_the_real_template_has_no_local_settings_and_keeps_its_data(self):
        text = (ROOT / "template.yaml").read_text()
        for name in ("OIDC_DISCOVERY_URL", "LOCAL_MODE", "S3_PATH_STYLE", "SOURCE_EXCEPTIONS"):
            self.assertNotIn(name, text)
        for resource in TEMPLATE["Resources"].values():
            if resource["Type"] in ("AWS::DynamoDB::Table", "AWS::S3::Bucket"):
                # Except on create: resources of a failed first deployment would block the second.
                self.assertEqual(resource["DeletionPolicy"], "RetainExceptOnCreate")
                self.assertEqual(resource["UpdateReplacePolicy"], "Retain")

    def test_storage_alone_has_every_table_queue_and_bucket_and_names_them(self):
        storage = localize.storage_only(TEMPLATE)
        self.assertEqual({each["Type"] for each in storage["Resources"].values()}, localize.STORAGE)
        names = {deploy.variable_name(output) for output in storage["Outputs"]}
        self.assertLessEqual({"JOBS_TABLE", "FILES_BUCKET", "OFFICE_QUEUE_URL", "HTML_DEAD_LETTERS_URL"}, names)
        self.assertNotIn("API_URL", names)

    def test_every_function_names_a_crate(self):
        for function in localize.functions(TEMPLATE).values():
            crate = ROOT / "functions" / localize.binary_of(function) / "Cargo.toml"
            self.assertTrue(crate.is_file(), crate)


class Reading(unittest.TestCase):
    def test_a_part_named_in_several_places_is_one_of_its_own_in_each(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "template.yaml"
            path.write_text("A: &part {Names: [!Ref X]}\nB: *part\n")
            template = localize.load(path)
        template["A"]["Names"].append("changed")
        self.assertEqual(template["B"], {"Names": [{"Ref": "X"}]})


class Files(unittest.TestCase):
    def test_the_env_file_gives_back_what_was_written_and_is_private(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "env"
            values = {"KEY": "plain", "SPACED": "two words & 'quotes' = $HOME"}
            envfile.write(path, values)
            self.assertEqual(envfile.read(path), values)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)

    def test_a_launcher_changes_only_with_its_binary(self):
        with tempfile.TemporaryDirectory() as folder:
            binary = Path(folder) / "worker"
            binary.write_text("one")
            first = package.launcher(binary, Path("worker.log"))
            self.assertEqual(first, package.launcher(binary, Path("worker.log")))
            binary.write_text("another")
            self.assertNotEqual(first, package.launcher(binary, Path("worker.log")))

    def test_all_functions_but_the_worker_are_one_program_under_their_names(self):
        with tempfile.TemporaryDirectory() as folder:
            built, installed = Path(folder) / "debug", Path(folder) / "bin"
            built.mkdir()
            (built / "worker").write_text("worker")
            (built / "local-functions").write_text("functions")
            programs = package.install_functions({"worker", "get-job", "sweeper"}, built, installed)
            self.assertEqual(programs, {name: installed / name for name in ("worker", "get-job", "sweeper")})
            self.assertEqual([programs[name].read_text() for name in sorted(programs)], ["functions", "functions", "worker"])
            # Not a copy each: a debug program has 200 MB.
            self.assertEqual(programs["get-job"].stat().st_ino, programs["sweeper"].stat().st_ino)

    def test_a_stack_says_when_its_workers_lack_lambdas_limits(self):
        ready = {"is_running": True, "deploy": {}, "demo_keys": {}, "demo_people": {}}
        for confined in (True, False):
            with self.subTest(confined=confined), tempfile.TemporaryDirectory() as folder, patch.object(package, "can_confine", lambda: confined):
                said = []
                with patch.multiple(Stack, **{name: Mock(return_value=value) for name, value in ready.items()}):
                    Stack(Settings(Path(folder), 4566, 8001, [])).start(said.append)
                self.assertEqual(package.UNCONFINED in said, not confined)


class Setup(unittest.TestCase):
    def test_a_deployers_scripts_need_no_tool_that_macos_lacks(self):
        # What macOS has of the tools that these scripts use: no flock, and shasum instead of sha256sum.
        tools = ("sh", "basename", "cat", "cut", "dirname", "env", "id", "mkdir", "rm", "sed", "shasum", "ln", "perl", "touch")
        with tempfile.TemporaryDirectory() as home:
            path = Path(home) / "bin"
            path.mkdir()
            for tool in tools:
                path.joinpath(tool).symlink_to(shutil.which(tool))
            # Makes an environment of nothing, and does everything else like Python.
            python = path / "python3"
            python.write_text(f'#!/bin/sh\n[ "$2" != venv ] || {{ mkdir -p "$3/bin" && ln -s "$(command -v env)" "$3/bin/python"; exit; }}\nexec {sys.executable} "$@"\n')
            python.chmod(0o755)
            setup = [shutil.which("sh"), str(ROOT / "infra/setup.sh"), "python", "deploy"]
            environment = {"PATH": str(path), "DOCMILL_CACHE": home}
            # The environment of nothing refuses pip, after the lock and the digest.
            made = subprocess.run(setup, env=environment, capture_output=True, text=True, check=False)
            self.assertIn("pip could not install requirements-deploy.txt", made.stderr)
            self.assertNotIn("not found", made.stderr)
            (venv,) = Path(home).glob("venv-deploy-*")
        usual = subprocess.run([sys.executable, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True, check=True)
        requirements = (ROOT / "infra/requirements-deploy.txt").read_bytes() + (ROOT / "infra/requirements-check.txt").read_bytes()
        self.assertEqual(venv.name, f"venv-deploy-{usual.stdout.strip()}-{hashlib.sha256(requirements).hexdigest()[:12]}")


class Suites(unittest.TestCase):
    def test_every_test_of_the_workspace_is_in_one_suite(self):
        found = sorted(path for path in ROOT.glob("**/tests/*.rs") if "target" not in path.parts and path.parent.parent.joinpath("Cargo.toml").exists())
        folders = [path.parent for path in ROOT.glob("**/tests/*/main.rs") if "target" not in path.parts]
        names = {path.stem for path in [*found, *folders]} | {"it"}
        command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
        packages = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)["packages"]
        beside, others = suites.suites(packages)
        commands = [each.command for each in [*beside, *others]]
        run = [name for command in commands for option, name in zip(command, command[1:]) if option == "--test"]
        self.assertEqual(sorted(run), sorted(names))
        reports = commands.pop(len(beside) - 1)
        self.assertEqual(reports[3:6], [sys.executable, "-m", "reports"])
        self.assertEqual(commands.pop(len(beside) - 1)[2:], [sys.executable, "-m", "smoke"])
        isolated = commands.pop(len(beside) - 1)
        self.assertIn("CONVERTER_NETWORK=isolated", isolated)
        self.assertEqual(isolated[-3:], [sys.executable, "-m", "smoke"])
        self.assertEqual(commands.pop(len(beside) - 1)[2:], ["cargo", "test", "--workspace", "--test", "it"])
        self.assertEqual(commands.pop()[2:], [sys.executable, "-m", "standin"])
        self.assertTrue(all(command[:3] == ["cargo", "test", "--workspace"] for command in commands[:-2]))
        self.assertEqual([command[3:] for command in commands[:-2] if "--test" not in command], [["--lib", "--bin", "docmill", "--bin", "docmill-admin"]])
        self.assertEqual(commands[-2:], [["tests/browser/run.sh"], ["clients/conformance/run.sh"]])

    def test_a_failed_suite_fails_the_run_and_is_named(self):
        with tempfile.TemporaryDirectory() as home:
            ran = suites.run_all([suites.Suite("beside", ["false"])], [suites.Suite("first", ["true"])], Path(home) / "log")
            self.assertEqual([(each.name, each.code) for each in ran], [("first", 0), ("beside", 1)])
            ran = suites.run_all([suites.Suite("beside", ["true"])], [suites.Suite("first", ["false"]), suites.Suite("second", ["true"])], Path(home) / "log")
            self.assertEqual([(each.name, each.code) for each in ran], [("first", 1), ("beside", 0)])
            self.assertIn("first FAILED", suites.report(ran))

    def test_the_output_of_suites_beside_is_shown_if_one_failed(self):
        for command, shown in (["sh", "-c", "echo said; false"], "said"), (["sh", "-c", "echo said"], ""):
            with tempfile.TemporaryDirectory() as home, redirect_stdout(io.StringIO()) as output:
                suites.run_all([suites.Suite("beside", command)], [], Path(home) / "log")
            self.assertEqual(output.getvalue().strip(), shown)

    def test_a_suite_that_hangs_is_ended(self):
        with patch.object(suites, "LONGEST_SECONDS", 0.2), redirect_stderr(io.StringIO()) as said:
            self.assertEqual(suites.run_bounded(["sleep", "60"]), 124)
        self.assertIn("sleep 60", said.getvalue())


class Lines(unittest.TestCase):
    def test_only_new_and_whole_lines_about_requests_of_accounts_are_brought(self):
        line = {"timestamp": "2026-11-28T12:00:00.123Z", "message": "request handled", "account": "acc_a"}
        others = ["START", "{", json.dumps({**line, "message": "job ended"}), json.dumps({"message": "request handled"}), '"request handled"']
        with tempfile.TemporaryDirectory() as home:
            file = Path(home) / "ListTools.log"
            file.write_text(json.dumps(line) + "\n")
            lines = log_lines.LogLines(Path(home))
            self.assertEqual(lines.new_lines(file), [])
            half = json.dumps({**line, "account": "acc_b"})
            with file.open("a") as opened:
                opened.write("\n".join([json.dumps(line), *others, half[:20]]))
            self.assertEqual(lines.new_lines(file), [line])
            with file.open("a") as opened:
                opened.write(half[20:] + "\n")
            self.assertEqual([each["account"] for each in lines.new_lines(file)], ["acc_b"])
            self.assertEqual(lines.new_lines(file), [])
        self.assertEqual(log_lines.millis("2026-11-28T12:00:00.123Z"), 1_795_867_200_123)

    def test_a_search_finds_what_the_pattern_and_the_times_admit(self):
        with tempfile.TemporaryDirectory() as home:
            lines = log_lines.LogLines(Path(home))
            for account, second in (("acc_a", 1), ("acc_b", 2), ("acc_a", 9)):
                with (Path(home) / "ListTools.log").open("a") as opened:
                    opened.write(json.dumps({"timestamp": f"2026-11-28T12:00:0{second}Z", "message": "request handled", "account": account}) + "\n")
            lines.look()
            otherwise = Mock()
            answer = lines.search(otherwise)
            start = log_lines.millis("2026-11-28T12:00:00Z")

            def found(account: str, until: int) -> list[str]:
                pattern = '{ ($.message = "request handled") && ($.account = "' + account + '") }'
                status, _, body = answer({"logGroupName": "/a/endpoints", "filterPattern": pattern, "startTime": start, "endTime": start + until})
                self.assertEqual(status, 200)
                return [json.loads(event["message"])["account"] for event in json.loads(body)["events"]]

            self.assertEqual(found("acc_a", 5000), ["acc_a"])
            self.assertEqual(found("*", 5000), ["acc_a", "acc_b"])
            self.assertEqual(found("acc_a", 9000), ["acc_a", "acc_a"])
            answer({"logGroupName": "/a/sweeper"})
            otherwise.assert_called_once_with({"logGroupName": "/a/sweeper"})

    def test_it_is_the_group_that_the_collector_searches(self):
        group = TEMPLATE["Resources"]["EndpointLogs"]["Properties"]["LogGroupName"]["Fn::Sub"]
        self.assertTrue(group.endswith(log_lines.GROUP))


class ContinuousIntegration(unittest.TestCase):
    def test_every_part_of_the_names_that_it_selects_names_a_suite(self):
        selected = re.search(r"NAME='([^']+)'", (ROOT / ".ci/run").read_text())[1].split()
        suites = {f"{path.stem}::" for path in (ROOT / "tests/it").glob("*.rs")}
        self.assertGreater(len(selected), 5)
        self.assertLessEqual(set(selected), suites)


if __name__ == "__main__":
    unittest.main()
