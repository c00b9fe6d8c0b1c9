"""Starting and stopping one local stack: emulator, samples, deployment, demo data."""

import json
import os
import shutil
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from local import deploy, envfile, localize, package, processes, seed
from local.errors import Problem
from local.processes import Process
from local.settings import CREDENTIALS, REGION, ROOT, Settings, binaries

STACK_NAME = "docmill"
TEMPLATE = ROOT / "template.yaml"
SAMPLES = ROOT / "samples"
READY_SECONDS = 60
# Limits of conversions that the starting command's environment can set for the local functions.
ADJUSTABLE = ("SOURCE_LIMIT_BYTES", "FETCH_SECONDS", "CONVERSION_SECONDS", "RUNNING_JOBS")

Progress = Callable[[str], None]


class Stack:
    """A stack on this machine, running or not. `run.json` records its processes."""

    def __init__(self, settings: Settings):
        self.settings = settings
        self.record = settings.home / "run.json"

    def start(self, progress: Progress) -> dict[str, str]:
        """Starts what is not running, deploys the current build, and writes and returns the environment."""
        self.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.is_running():
            self.start_processes(progress)
        if not package.can_confine():
            progress(package.UNCONFINED)
        progress("deploying the template")
        values = self.deploy()
        progress("making sure of the demo account")
        values |= self.demo_keys(values)
        values |= self.demo_people(values)
        envfile.write(self.settings.env_file, values)
        return values

    def stop(self) -> None:
        """Ends the stack's processes, after the emulator has saved its data, and removes their files in scratch."""
        record = self.read_record()
        for process in record_processes(record):
            processes.stop(process)
        if scratch := record.get("scratch"):
            shutil.rmtree(scratch, ignore_errors=True)
        self.record.unlink(missing_ok=True)

    def is_running(self) -> bool:
        own = record_processes(self.read_record())
        return bool(own) and all(process.is_running() for process in own)

    def running_port(self) -> int:
        return self.read_record().get("port", self.settings.port)

    def start_processes(self, progress: Progress) -> None:
        # A stack that lost a process is stopped first, so that its ports are free.
        self.stop()
        processes.require_free_port(self.settings.port, "PORT")
        processes.require_free_port(self.settings.samples_port, "SAMPLES_PORT")
        self.move_data_to_port()
        scratch = Path(tempfile.mkdtemp(prefix="docmill-"))
        progress(f"starting the emulator on port {self.settings.port}")
        started = [self.start_emulator(scratch), self.start_samples()]
        self.record.write_text(
            json.dumps(
                {
                    "port": self.settings.port,
                    "scratch": str(scratch),
                    "processes": [asdict(process) for process in started],
                }
            )
        )
        processes.wait_until(lambda: self.answers() or not self.is_running(), READY_SECONDS)
        if not self.is_running() or not self.answers():
            raise Problem(f"The emulator did not start: see {self.settings.logs}/ministack.log")

    def move_data_to_port(self) -> None:
        """Saved data names queues by URL, and so by the port of the earlier start."""
        earlier = envfile.read(self.settings.env_file).get("AWS_ENDPOINT_URL", self.settings.endpoint)
        if earlier != self.settings.endpoint:
            for file in (self.settings.home / "state").glob("*.json"):
                file.write_text(file.read_text().replace(f"{earlier}/", f"{self.settings.endpoint}/"))

    def start_emulator(self, scratch: Path) -> Process:
        home = self.settings.home
        environment = {
            # Functions inherit all of this, so nothing of the user's own environment is included.
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": str(ROOT / "infra"),
            "HOME": str(scratch),
            "TMPDIR": str(scratch),
            "LANG": "C.UTF-8",
            "AWS_ENDPOINT_URL": self.settings.endpoint,
            "MINISTACK_REGION": REGION,
            "GATEWAY_PORT": str(self.settings.port),
            "BIND_HOST": "127.0.0.1",
            # Functions act under their roles, so that permissions missing in the template are noticed here, not on AWS.
            "AUTH": "true",
            # Its access log would contain presigned URLs.
            "LOG_LEVEL": "WARNING",
            "PERSIST_STATE": "1" if self.settings.persistent else "0",
            "STATE_DIR": str(home / "state"),
            "S3_PERSIST": "1" if self.settings.persistent else "0",
            "S3_DATA_DIR": str(home / "state" / "s3"),
            "FUNCTION_LOGS": str(self.settings.logs),
            # Listeners of unused services on fixed ports, which would conflict between two stacks.
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
        }
        command = [sys.executable, "-m", "local.ministack_server"]
        return processes.start("ministack", command, environment, self.settings.logs / "ministack.log", scratch)

    def start_samples(self) -> Process:
        command = [sys.executable, "-m", "local.samples_server", str(SAMPLES), str(self.settings.samples_port)]
        environment = {"PYTHONPATH": str(ROOT / "infra")}
        return processes.start("samples", command, environment, self.settings.logs / "samples.log", ROOT)

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.settings.endpoint}/_ministack/health", timeout=5) as response:
                return response.status == 200
        except (urllib.error.URLError, OSError):
            return False

    def deploy(self) -> dict[str, str]:
        """Deploys the localized template and returns everything that clients of the stack need."""
        endpoint = self.settings.endpoint
        template = localize.load(TEMPLATE)
        deploy.ensure_code_bucket(endpoint)
        network = os.environ.get("CONVERTER_NETWORK") or localize.OPEN
        local = localize.localize(template, endpoint, self.upload_functions(template), self.function_environment(), network)
        if seconds := os.environ.get("WORKER_SECONDS"):
            localize.limit_workers(local, int(seconds))
        outputs = deploy.deploy(endpoint, STACK_NAME, local, {"LogLevel": self.settings.log_level})
        values = {deploy.variable_name(name): value for name, value in outputs.items() if not name.startswith("Api")}
        return values | CREDENTIALS | {
            "AWS_ENDPOINT_URL": endpoint,
            "DOCMILL_URL": outputs["ApiUrl"],
            "DOCMILL_DASHBOARD_URL": f"{outputs['ApiUrl']}/app",
            "SAMPLES_URL": self.settings.samples_url,
            "S3_PATH_STYLE": "true",
        }

    def upload_functions(self, template: localize.Template) -> dict[str, str]:
        """Uploads a launcher for each function and returns their addresses by function name."""
        code = {}
        confined = package.can_confine()
        programs = {name: localize.binary_of(function) for name, function in localize.functions(template).items()}
        installed = package.install_functions(set(programs.values()), binaries(), self.settings.home / "bin")
        for name, program in programs.items():
            opens_documents = confined and program == "worker"
            launcher = package.launcher(installed[program], self.settings.logs / f"{name}.log", opens_documents)
            code[name] = deploy.upload_code(self.settings.endpoint, name, launcher)
        return code

    def function_environment(self) -> dict[str, str]:
        limits = {name: os.environ[name] for name in ADJUSTABLE if name in os.environ}
        return limits | {
            "LOCAL_MODE": "true",
            "S3_PATH_STYLE": "true",
            # So that changed settings take effect at once.
            "SETTINGS_MAX_AGE_SECONDS": "2",
            "SOURCE_EXCEPTIONS": ",".join(self.settings.source_exceptions),
            # Webhook receivers on this machine, at any port.
            "RECEIVER_EXCEPTIONS": "localhost:*,127.0.0.1:*,[::1]:*",
        }

    def demo_keys(self, values: dict[str, str]) -> dict[str, str]:
        """The keys of an earlier start if the service still knows them, or else new ones."""
        earlier = envfile.read(self.settings.env_file)
        kept = {name: earlier[name] for name in seed.NAMES if name in earlier}
        if len(kept) == len(seed.NAMES) and seed.is_known(values["DOCMILL_URL"], kept["DOCMILL_LIVE_KEY"]):
            return kept
        return seed.seed(binaries() / "docmill-admin", os.environ | values)

    def demo_people(self, values: dict[str, str]) -> dict[str, str]:
        """A user of the demo account and an administrator, with the passwords of an earlier start."""
        cognito = deploy.client("cognito-idp", self.settings.endpoint)
        found = seed.people(cognito, values["USER_POOL"], envfile.read(self.settings.env_file))
        seed.link(binaries() / "docmill-admin", values["DOCMILL_ACCOUNT"], os.environ | values)
        return found

    def read_record(self) -> dict:
        return json.loads(self.record.read_text()) if self.record.is_file() else {}


def record_processes(record: dict) -> list[Process]:
    return [Process(**each) for each in record.get("processes", [])]
