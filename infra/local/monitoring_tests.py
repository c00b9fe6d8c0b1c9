"""Alarms, dashboard and runbook must only name things that exist. Run by `make check`."""

import json
import re
import unittest

from local import localize
from local.settings import ROOT

TEMPLATE = localize.load(ROOT / "template.yaml")
RUNBOOK = (ROOT / "infra/RUNBOOK.md").read_text()
OPERATIONS = (ROOT / "infra/OPERATIONS.md").read_text()
OWN = "Docmill/${AWS::StackName}"

# AWS's metrics of the template's resources, with the dimensions that identify them.
OF_AWS = {
    ("AWS/ApiGateway", ("ApiId",)): {"4xx", "5xx", "Count", "Latency", "IntegrationLatency"},
    ("AWS/DynamoDB", ("TableName",)): {"ReadThrottleEvents", "TransactionConflict", "WriteThrottleEvents"},
    ("AWS/DynamoDB", ("TableName", "GlobalSecondaryIndexName")): {"ReadThrottleEvents", "WriteThrottleEvents"},
    ("AWS/Lambda", ()): {"ConcurrentExecutions", "Throttles"},
    ("AWS/Lambda", ("FunctionName",)): {"ConcurrentExecutions", "Duration", "Errors", "Invocations", "Throttles"},
    ("AWS/SQS", ("QueueName",)): {
        "ApproximateAgeOfOldestMessage", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesVisible",
    },
}  # fmt: skip
# Fields that queries may use in addition to ours: CloudWatch's own, and those of the API's access log.
OF_INSIGHTS = {"@timestamp", "@message", "@type", "@maxMemoryUsed", "@memorySize", "@duration", "span.request_id"}
WORDS = {
    "fields", "filter", "stats", "sort", "limit", "by", "as", "and", "or", "in", "like", "desc", "asc", "not",
    "count", "avg", "max", "min", "sum", "pct", "bin", "ispresent",
}  # fmt: skip


def own_metrics() -> set[tuple[str, tuple[str, ...]]]:
    """Our metrics with their sets of dimensions, from a table that a test compares with the code."""
    found = set()
    for name, sets in re.findall(r"^\| `(\w+)` \| ([\w;, ]+) \| (?:Count|Milliseconds) \|", OPERATIONS, re.M):
        for dimensions in sets.split(";"):
            names = () if sets == "none" else tuple(each.strip() for each in dimensions.split(","))
            found.add((name, names))
    return found


def of_type(kind: str) -> dict[str, dict]:
    return {name: each["Properties"] for name, each in TEMPLATE["Resources"].items() if each["Type"] == kind}


def text_of(value: object) -> object:
    """The text of an `Fn::Sub` with its parameters unreplaced."""
    if not (isinstance(value, dict) and "Fn::Sub" in value):
        return value
    if isinstance(value["Fn::Sub"], str):
        return value["Fn::Sub"]
    text, variables = value["Fn::Sub"]
    for name, each in variables.items():
        # With everything that a condition adds.
        text = text.replace(f"${{{name}}}", each["Fn::If"][1]["Fn::Sub"])
    return text


def alarm_metrics(alarm: dict) -> list[tuple[str, str, tuple[str, ...]]]:
    single = [alarm] if "MetricName" in alarm else []
    math = [each["MetricStat"]["Metric"] for each in alarm.get("Metrics", []) if "MetricStat" in each]
    return [
        (text_of(each["Namespace"]), each["MetricName"], tuple(d["Name"] for d in each.get("Dimensions", [])))
        for each in single + math
    ]


def widget_metrics(widget: dict) -> list[tuple[str, str, tuple[str, ...]]]:
    found = []
    for metric in widget["properties"].get("metrics", []):
        if isinstance(metric[0], dict):
            schema, name = re.fullmatch(r"SEARCH\('\{(.+)\} MetricName=\"(\w+)\"', '\w+', 300\)", metric[0]["expression"]).groups()
            namespace, *dimensions = schema.split(",")
            found.append((namespace, name, tuple(dimensions)))
        else:
            names = [part for part in metric if isinstance(part, str)]
            found.append((names[0], names[1], tuple(names[2::2])))
    return found


def engines() -> list[str]:
    """The engines' names in the code's metrics: of those that do the main work of a tool. Others only do a step of its jobs."""
    code = (ROOT / "shared/domain/src/tool/mod.rs").read_text().split("impl EngineKind", 1)[1].split("\n}", 1)[0]
    main = set(re.findall(r"Self::(\w+)", code.split("pub fn of", 1)[1].split("\n    }", 1)[0]))
    return [name for engine, name in re.findall(r'Self::(\w+) => "([\w-]+)"', code) if engine in main]


def dashboard() -> dict:
    (body,) = of_type("AWS::CloudWatch::Dashboard").values()
    return json.loads(text_of(body["DashboardBody"]))


class Monitoring(unittest.TestCase):
    def assert_emitted(self, metrics):
        for namespace, name, dimensions in metrics:
            with self.subTest(namespace=namespace, name=name, dimensions=dimensions):
                if namespace == OWN:
                    self.assertIn((name, dimensions), own_metrics())
                else:
                    self.assertIn(name, OF_AWS.get((namespace, dimensions), set()))

    def test_every_metric_of_an_alarm_is_emitted(self):
        metrics = [metric for alarm in of_type("AWS::CloudWatch::Alarm").values() for metric in alarm_metrics(alarm)]
        self.assertGreater(len(metrics), 12)
        self.assert_emitted(metrics)
        self.assertIn(f"All alarms look at {len(metrics)} metrics", OPERATIONS)

    def test_every_metric_of_the_dashboard_is_emitted_and_every_alarm_is_on_it(self):
        widgets = dashboard()["widgets"]
        metrics = [metric for widget in widgets for metric in widget_metrics(widget)]
        self.assert_emitted(metrics)
        shown = {(name, dimensions) for namespace, name, dimensions in metrics if namespace == OWN}
        self.assertEqual({name for name, _ in own_metrics()}, {name for name, _ in shown}, "a metric that nobody sees")
        alarms = [arn for widget in widgets for arn in widget["properties"].get("alarms", [])]
        self.assertEqual(sorted(alarms), sorted(f"${{{name}.Arn}}" for name in of_type("AWS::CloudWatch::Alarm")))

    def test_every_alarm_notifies_and_says_what_missing_data_is(self):
        for name, alarm in of_type("AWS::CloudWatch::Alarm").items():
            with self.subTest(alarm=name):
                self.assertIn("AlarmActions", alarm)
                self.assertIn("OKActions", alarm)
                self.assertEqual(alarm["TreatMissingData"], "notBreaching")
                used = set(re.findall(r"[a-z_]+", alarm.get("Metrics", [{"Expression": ""}])[0]["Expression"]))
                self.assertEqual(used, {each["Id"] for each in alarm.get("Metrics", [])[1:]})

    def test_every_index_is_watched_for_throttles(self):
        indexes = {
            (table, index["IndexName"])
            for table, each in of_type("AWS::DynamoDB::Table").items()
            for index in each.get("GlobalSecondaryIndexes", [])
        }
        alarms = of_type("AWS::CloudWatch::Alarm")
        watched = [metric for name in ("IndexThrottlesAlarm", "EventThrottlesAlarm") for metric in alarms[name]["Metrics"][1:]]
        dimensions = [[each["Value"] for each in metric["MetricStat"]["Metric"]["Dimensions"]] for metric in watched]
        # The alarm of events also has their table.
        self.assertEqual({(each[0]["Ref"], *each[1:]) for each in dimensions}, indexes | {("EventsTable",)})

    def test_an_alarm_knows_of_every_engine_whether_most_of_its_jobs_fail(self):
        watched = of_type("AWS::CloudWatch::Alarm")["JobsFailingAlarm"]["Metrics"][1:]
        seen = [[each["Value"] for each in metric["MetricStat"]["Metric"]["Dimensions"]] for metric in watched]
        names = {metric["MetricStat"]["Metric"]["MetricName"] for metric in watched}
        self.assertEqual(names, {"service_failures", "jobs"})
        for engine in engines():
            self.assertIn([engine], seen)
            self.assertIn([engine, "completed"], seen)

    def test_an_alarm_sees_every_group_of_accounts(self):
        code = (ROOT / "shared/telemetry/src/job.rs").read_text()
        groups = [str(group) for group in range(int(re.search(r"ACCOUNT_GROUPS: u32 = (\d+);", code)[1]))]
        for name in ("source_failures", "completions"):
            watched = of_type("AWS::CloudWatch::Alarm")["SourcesFailingAlarm"]["Metrics"][1:]
            metrics = [each["MetricStat"]["Metric"] for each in watched]
            self.assertEqual([each["Dimensions"][0]["Value"] for each in metrics if each["MetricName"] == name], groups)

    def test_no_alarm_looks_at_more_metrics_than_cloudwatch_allows(self):
        for name, alarm in of_type("AWS::CloudWatch::Alarm").items():
            self.assertLessEqual(len(alarm_metrics(alarm)), 10, name)

    def test_a_backlog_is_a_backlog_only_where_messages_wait(self):
        for name, alarm in of_type("AWS::CloudWatch::Alarm").items():
            if name.endswith("BacklogAlarm"):
                metrics = {each["Id"]: each for each in alarm["Metrics"]}
                self.assertEqual(metrics["verdict"]["Expression"], "IF(FILL(waiting, 0) > 0, FILL(age, 0), 0)")
                self.assertEqual(metrics["waiting"]["MetricStat"]["Stat"], "Minimum")

    def test_the_sweepers_alarm_waits_for_the_first_run_and_then_for_every_one(self):
        (verdict, *metrics) = of_type("AWS::CloudWatch::Alarm")["SweeperStalledAlarm"]["Metrics"]
        self.assertEqual([each["Id"] for each in metrics], ["polled", "runs", "errors"])
        # CloudWatch's expression in Python's words. None: no data.
        expression = re.sub(r"FILL\((\w+), 0\)", r"(\1 or 0)", verdict["Expression"]).replace(" AND ", " and ")
        condition, yes, no = re.fullmatch(r"IF\((.+), (\d), (\d)\)", expression).groups()

        def alarms(polled: int | None, runs: int | None, errors: int | None) -> bool:
            names = {"polled": polled, "runs": runs, "errors": errors}
            return bool(int(yes if eval(condition, {}, names) else no))

        self.assertFalse(alarms(None, None, None), "a stack that is being made")
        self.assertFalse(alarms(None, 2, 0), "its first runs")
        self.assertFalse(alarms(5, 5, 0))
        self.assertTrue(alarms(5, None, None), "the schedule is off")
        self.assertTrue(alarms(5, 5, 5), "every run fails")

    def test_without_all_alarms_the_dashboard_and_deployments_name_only_the_essential_ones(self):
        conditional = {name for name, each in TEMPLATE["Resources"].items() if each.get("Condition") == "HasAllAlarms"}
        self.assertEqual({TEMPLATE["Resources"][name]["Type"] for name in conditional}, {"AWS::CloudWatch::Alarm"})
        (body,) = of_type("AWS::CloudWatch::Dashboard").values()
        text, variables = body["DashboardBody"]["Fn::Sub"]
        condition, more, nothing = variables["MoreAlarms"]["Fn::If"]
        self.assertEqual((condition, nothing), ("HasAllAlarms", ""))
        self.assertEqual(set(re.findall(r"\$\{(\w+Alarm)\.Arn\}", more["Fn::Sub"])), conditional)
        self.assertEqual(set(re.findall(r"\$\{(\w+Alarm)\.Arn\}", text)) & conditional, set())
        for name, function in localize.functions(TEMPLATE).items():
            if preference := function["Properties"].get("DeploymentPreference"):
                _, _, essential = preference["Alarms"]["Fn::If"]
                self.assertEqual({each["Ref"] for each in essential} & conditional, set(), name)

    def test_the_runbook_has_exactly_the_alarms(self):
        sections = re.findall(r"^## (\w+Alarm)$", RUNBOOK, re.M)
        self.assertEqual(sorted(sections), sorted(of_type("AWS::CloudWatch::Alarm")))
        for section in re.split(r"^## ", RUNBOOK, flags=re.M)[1:]:
            if section.split("\n")[0] in sections:
                for part in ("**What", "**Over when:**"):
                    self.assertIn(part, section)
                self.assertRegex(section, "[Uu]rgen(t|cy)")

    def test_queries_name_fields_that_are_logged(self):
        fields = set(re.findall(r"^\| `(\w+)` \| ", OPERATIONS, re.M)) | OF_INSIGHTS | access_log_fields()
        names = [each["LogGroupName"]["Fn::Sub"] for each in of_type("AWS::Logs::LogGroup").values()]
        groups = {name.removeprefix("/docmill/${AWS::StackName}/") for name in names}
        queries = re.findall(r'^ *infra/insights.sh \$stack \d+ "([^"]+)" ?([\w-]*)$', RUNBOOK, re.M)
        self.assertEqual(len(queries), RUNBOOK.count("infra/insights.sh $stack "))
        for query, group in queries:
            with self.subTest(query=query):
                self.assertIn(group, groups | {""})
                bare = re.sub(r"'[^']*'|/[^/]*/|\b\d\w*\b", "", query)
                made = set(re.findall(r"\bas (\w+)", bare))
                named = set(re.findall(r"@?[a-zA-Z_][\w.]*", bare))
                self.assertLessEqual(named - WORDS - made, fields)

    def test_messages_of_queries_are_logged(self):
        code = "".join(
            path.read_text() for part in ("shared", "functions") for path in (ROOT / part).rglob("*.rs")
        )
        for message in re.findall(r"message = '([^']+)'", RUNBOOK) + re.findall(
            r"'([^']+)'", "".join(re.findall(r"message in \[([^\]]+)\]", RUNBOOK))
        ):
            self.assertIn(f'"{message}"', code)


def access_log_fields() -> set[str]:
    return set(json.loads(TEMPLATE["Resources"]["Api"]["Properties"]["AccessLogSettings"]["Format"]))


if __name__ == "__main__":
    unittest.main()
