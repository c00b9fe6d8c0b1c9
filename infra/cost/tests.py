"""Tests the model against cases calculated by hand, and the data against the template. Run by `make check`."""

import unittest
from collections import Counter

from local import localize

from . import sources
from .model import (
    ENGINES, POLLS_OF_A_QUEUE, TOOLS, WORKERS, Conversion, Deployment, Job, Measured, Request, compute, dollars, firewall, idle, in_use, job, per_thousand, request_log,
    polls, request_ms, waiting_request, warm_request, worker_ms,
)

PRICES = {
    "units": {
        "lambda GB-s": {"price": 2.0},
        "lambda request": {"price": 0.5},
        "DynamoDB write": {"price": 0.25, "free": 8},
        "SQS request": {"price": 0.125},
    }
}
TEMPLATE = localize.load(sources.ROOT / "template.yaml")


class Model(unittest.TestCase):
    def test_amounts_times_prices(self):
        amounts = {"lambda GB-s": 1.5, "DynamoDB write": 10, "SQS request": 4}
        self.assertEqual(dollars(amounts, PRICES), 3.0 + 2.5 + 0.5)
        self.assertEqual(dollars(amounts, PRICES, free=True), 3.0 + 0.5 + 0.5)

    def test_durations_are_rounded_up_and_tmp_counts_beyond_512_mb(self):
        self.assertEqual(compute(1000.2, 2048), {"lambda GB-s": 2 * 1.001})
        self.assertEqual(compute(2000, 1024, 1536), {"lambda GB-s": 2.0, "lambda /tmp GB-s": 2.0})

    def test_a_small_function_has_a_small_share_of_a_core(self):
        request = {"serial calls": 3}
        function = Request(cpu_ms=1, init_ms=20, first_cpu_ms=4)
        # 442.25 MB is a quarter of 1,769: each millisecond of work takes four.
        self.assertEqual(request_ms(request, function, 5, 442.25, cold=False), 15 + 4)
        self.assertEqual(request_ms(request, function, 5, 442.25, cold=True), 20 + 15 + 16)

    def test_a_worker_is_billed_for_the_longer_of_wall_and_work(self):
        worker = {"source ms": 60, "store ms": 30, "serial calls": 2}
        self.assertEqual(worker_ms(worker, Conversion(wall_ms=100, cpu_ms=50), 5, 1769), 60 + 100 + 30 + 10)
        self.assertEqual(worker_ms(worker, Conversion(wall_ms=100, cpu_ms=300), 5, 3538), 60 + 150 + 30 + 10)

    def test_a_thousand_jobs_carry_their_share_of_the_idle_month(self):
        one = Job({"API": Counter({"lambda request": 2})}, Counter())
        # A job costs one dollar; 36.5 dollars a month over 12 months of 365 days in total are 1.2 a day, shared by four jobs.
        month = Counter({"lambda request": 73})
        self.assertAlmostEqual(per_thousand(one, 4, month, PRICES), 1000 * (1 + 1.2 / 4))

    def test_metrics_are_billed_for_the_hours_in_which_they_are_written(self):
        usage = {"in use": {"metric": {"amount": 48}}}
        self.assertEqual(in_use(usage, 6), {"metric": 12})
        self.assertEqual(in_use(usage, 10_000), {"metric": 48})

    def test_a_firewall_costs_a_month_and_each_request(self):
        usage = {"firewall": {"month": {"lambda request": 4}, "request": {"SQS request": 2}}}
        self.assertEqual(dollars(firewall(usage, 0), PRICES), 2.0)
        self.assertEqual(dollars(firewall(usage, 8), PRICES), 2.0 + 2.0)
        prices, real = sources.read("prices.json"), sources.read("usage.json")
        scaling = (sources.ROOT / "infra/SCALING.md").read_text()
        fixed, million = dollars(firewall(real, 0), prices), dollars(firewall(real, 1_000_000), prices)
        self.assertIn(f"USD {fixed:.0f} a month, and USD {million - fixed:.2f} for a million requests", scaling)

    def test_a_request_that_waits_looks_ever_more_rarely(self):
        waiting = {"first pause ms": 50, "pause factor": 1.5, "longest pause ms": 100}
        # 50, 75, then 100 each.
        self.assertEqual([polls(ms, waiting) for ms in (0, 50, 51, 125, 126, 325)], [0, 1, 2, 2, 3, 4])

    def test_a_whole_job_by_hand(self):
        usage = {
            "calls": {"ms": 10},
            "requests": [
                {"name": "create", "function": "f", "resource": "F", "count": 2, "serial calls": 1,
                 "units": {"DynamoDB write": 3}},
            ],
            "request units": {"lambda request": 1},
            "request log bytes": 0,
            "worker": {"units": {"SQS request": 2}, "serial calls": 1, "source ms": 0, "store ms": 0, "log bytes": 0},
            "expiry": {"units": {}, "ms": 0, "resource": "F"},
            "kept": {"record bytes": 0, "record days": 0, "output days": 0, "log days": 0, "log compression": 0},
            "output bytes": {"small": 2_000_000_000},
        }
        measured = Measured(
            {("office", "small"): Conversion(1990, 1990)}, {"office": 4000}, {"f": Request(10, 40, 10)}
        )
        deployment = Deployment({"F": 1769}, {"office": 1769}, worker_tmp=512, alarms=0, more_alarms=0, dashboards=0)
        one = job("office", "small", 0.5, usage, measured, deployment)
        # Two requests of 20 ms, or 60 ms when cold; a conversion of 2 s and half of a start of 4 s; 1,769 MB.
        seconds = 2 * (0.5 * 0.020 + 0.5 * 0.060) + 2.0 + 2.0
        total = one.total()
        self.assertAlmostEqual(total["lambda GB-s"], seconds * 1769 / 1024)
        self.assertEqual((total["lambda request"], total["DynamoDB write"], total["SQS request"]), (2, 6, 2))
        self.assertEqual(one.transfer, {"transfer GB": 2})

    def test_several_files_are_stored_one_by_one_and_together(self):
        self.assertEqual((Conversion(1, 1).stored_bytes(7), Conversion(1, 1).more_writes), (7, 0))
        several = Conversion(1, 1, output_bytes=100, files=8)
        self.assertEqual((several.stored_bytes(7), several.more_writes), (200, 9))


class Data(unittest.TestCase):
    def test_every_amount_has_a_price_and_every_function_a_figure(self):
        prices, usage = sources.read("prices.json"), sources.read("usage.json")
        measured = sources.measured(sources.read("measured.json"))
        deployment = sources.deployment(TEMPLATE)
        for kind, size in measured.conversions:
            one = job(kind, size, 0.5, usage, measured, deployment)
            self.assertGreater(dollars(one.total() + one.transfer, prices), 0)
            self.assertGreater(dollars(waiting_request(kind, size, usage, measured, deployment), prices), 0)
        for request in usage["other requests"]:
            self.assertGreater(dollars(warm_request(request, usage, measured, deployment), prices), 0)
        self.assertGreater(dollars(idle(usage, measured, deployment), prices), 0)

    def test_the_template_is_read(self):
        deployment = sources.deployment(TEMPLATE)
        self.assertEqual((deployment.memory["CreateJob"], deployment.memory["GetJob"]), (512, 256))
        self.assertEqual(deployment.worker_memory["browser"], TEMPLATE["Parameters"]["HtmlMemory"]["Default"])
        # Each queue with a function is polled, even if it is empty.
        sources_of_events = [each for each in TEMPLATE["Resources"].values() if each["Type"] == "AWS::Lambda::EventSourceMapping"]
        polls = sources.read("usage.json")["idle"]["SQS request"]["amount"]
        self.assertEqual(polls, len(sources_of_events) * POLLS_OF_A_QUEUE)
        every = deployment.alarms + deployment.more_alarms
        self.assertIn(f"All alarms look at {every} metrics, the essential ones at {deployment.alarms},", (sources.ROOT / "infra/OPERATIONS.md").read_text())

    def test_the_log_of_requests_writes_less_than_once_for_twenty_requests(self):
        usage = sources.read("usage.json")
        for a_minute in (1, 10, 60, 400, 6000):
            self.assertLess(request_log(usage, a_minute).writes, 1, a_minute)
        # Three requests in half an hour.
        self.assertAlmostEqual(request_log(usage, 0.1).writes, 20 / 3)
        collector = (sources.ROOT / "functions/request-log/src/lib.rs").read_text()
        self.assertIn(f"ENOUGH: usize = {usage['request log']['enough']};", collector)
        waiting = (sources.ROOT / "shared/app/src/requests/mod.rs").read_text()
        self.assertIn(f"LONGEST_WAIT: Duration = Duration::from_secs({usage['request log']['longest wait minutes']} * 60);", waiting)

    def test_an_idle_service_costs_five_dollars_at_most(self):
        prices, usage = sources.read("prices.json"), sources.read("usage.json")
        month = idle(usage, sources.measured(sources.read("measured.json")), sources.deployment(TEMPLATE))
        self.assertLessEqual(dollars(month, prices, free=True), 5.0)

    def test_every_tool_has_its_cases(self):
        self.assertEqual(sources.CASES.keys() | ENGINES.keys(), WORKERS.keys())
        self.assertEqual((TOOLS["merge-pdf"], TOOLS["email-to-pdf"], TOOLS["convert-office"]), ("pdf", "browser", "office"))
        benchmark = (sources.ROOT / "tests/bench/pdf_cases.py").read_text()
        for label in (label for labels in sources.CASES.values() for label in labels):
            self.assertIn(f'"{label}",', benchmark)

    def test_benchmarks_are_read(self):
        series = {"docmill": {"wall_ms": [1, 2, 9], "cpu_ms": [4]}, "peer": {"wall_ms": [100], "cpu_ms": [100]}}
        bench = {f"{kind} cold": {"small": series} for kind in ENGINES}
        self.assertIsNone(sources.tools(bench))
        bench |= {kind: {"small a": series, "small b": series, "large a": series} for kind in ENGINES}
        engines = sources.engines(bench)
        self.assertEqual(engines["warm"]["basic small"], {"wall_ms": 2, "cpu_ms": 4})
        self.assertEqual(engines["cold_ms"]["office"], 2)
        case = {"docmill": {"wall_ms": [1, 2, 9], "cpu_ms": [4], "output_bytes": 7, "files": 8}}
        bench = {"pdf cold": {"small": series}, "pdf": {label: case for labels in sources.CASES.values() for label in labels}}
        self.assertIsNone(sources.engines(bench))
        tools = sources.tools(bench)
        self.assertEqual(tools["warm"]["merge-pdf small"], {"wall_ms": 2, "cpu_ms": 4, "output_bytes": 7, "files": 8})
        self.assertEqual(tools["cold_ms"], {"pdf": 2})
        summary = {name: {"median": 1.5} for name in ("warm_cpu_ms", "init_ms", "first_cpu_ms")}
        function = {"name": "f", "backends": [{"backend": "TLS"} | summary]}
        requests = sources.requests({"machine": {"measured_at": "now"}, "functions": [function]})
        self.assertEqual(requests["functions"]["f"], {"cpu_ms": 1.5, "init_ms": 1.5, "first_cpu_ms": 1.5})


if __name__ == "__main__":
    unittest.main()
