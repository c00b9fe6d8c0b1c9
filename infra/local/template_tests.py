"""Tests `template.yaml` after the SAM transform, as CloudFormation gets it. Run by `make check`."""

import re
import unittest
from copy import deepcopy
from functools import cache

import boto3
from local import localize, rights
from local.rights import listed
from local.settings import REGION, ROOT
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

TEMPLATE = localize.load(ROOT / "template.yaml")
PARAMETERS, RESOURCES = TEMPLATE["Parameters"], TEMPLATE["Resources"]
# The transform would otherwise request this from IAM.
MANAGED_POLICIES = {"AWSLambdaBasicExecutionRole": "arn:aws:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"}


@cache
def transformed(**parameters: str) -> localize.Template:
    """The template after the SAM transform."""
    template = deepcopy(TEMPLATE)
    for function in localize.functions(template).values():
        properties = function["Properties"]
        if properties.get("PackageType") == "Image":
            properties["ImageUri"] = "123456789012.dkr.ecr.us-east-1.amazonaws.com/docmill:worker"
        else:
            properties["CodeUri"] = f"s3://code/{localize.binary_of(function)}.zip"
    given = {name: str(each.get("Default", "")) for name, each in PARAMETERS.items()} | parameters
    translator = Translator(MANAGED_POLICIES, Parser(), boto_session=boto3.Session(region_name=REGION))
    return translator.translate(template, given)


def of_type(kind: str) -> dict[str, dict]:
    return {name: each for name, each in RESOURCES.items() if each["Type"] == kind}


def statements(function: localize.Template) -> list[dict]:
    return rights.statements(TEMPLATE, function)


def creators() -> dict[str, localize.Template]:
    """The API's functions that create jobs."""
    return {
        name: function
        for name, function in localize.functions(TEMPLATE).items()
        if any(path in str(function["Properties"].get("Events")) for path in ("'/v1/", "'/mcp'"))
        and any("JobsTable" in str(each["Resource"]) and "dynamodb:PutItem" in each["Action"] for each in statements(function))
    }


def versions(template: localize.Template) -> set[str]:
    return {name for name, each in template["Resources"].items() if each["Type"] == "AWS::Lambda::Version"}


class FirstDeployment(unittest.TestCase):
    def test_what_is_kept_is_not_kept_of_a_first_deployment_that_failed(self):
        kept = {name: each for name, each in RESOURCES.items() if "DeletionPolicy" in each}
        self.assertEqual(
            {each["Type"] for each in kept.values()},
            {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::Cognito::UserPool", "AWS::SecretsManager::Secret"},
        )
        for name, each in kept.items():
            with self.subTest(resource=name):
                self.assertEqual(each["DeletionPolicy"], "RetainExceptOnCreate")
                self.assertEqual(each["UpdateReplacePolicy"], "Retain")
        # With protection from the start, the tables of a failed first deployment could not be deleted.
        self.assertEqual(PARAMETERS["DeletionProtection"]["Default"], "false")
        for name, table in of_type("AWS::DynamoDB::Table").items():
            self.assertEqual(table["Properties"]["DeletionProtectionEnabled"], {"Ref": "DeletionProtection"}, name)
        (pool,) = of_type("AWS::Cognito::UserPool").values()
        self.assertEqual(pool["Properties"]["DeletionProtection"], {"Fn::If": ["HasDeletionProtection", "ACTIVE", "INACTIVE"]})

    def test_no_secret_is_deleted_before_the_data_that_needs_it(self):
        secrets = of_type("AWS::SecretsManager::Secret")
        self.assertGreaterEqual(len(secrets), 3)
        for name, each in secrets.items():
            self.assertEqual(each["DeletionPolicy"], "RetainExceptOnCreate", name)

    def test_no_name_is_taken_that_another_stack_or_region_may_have(self):
        for name, each in of_type("AWS::CloudWatch::Dashboard").items():
            self.assertIn("${AWS::Region}", each["Properties"]["DashboardName"]["Fn::Sub"], name)
        for name, each in of_type("AWS::Logs::LogGroup").items():
            self.assertIn("${AWS::StackName}", each["Properties"]["LogGroupName"]["Fn::Sub"], name)
        for kind, named in [("DynamoDB::Table", "TableName"), ("S3::Bucket", "BucketName"), ("SQS::Queue", "QueueName")]:
            for name, each in of_type(f"AWS::{kind}").items():
                self.assertNotIn(named, each["Properties"], name)

    def test_contradictory_parameters_are_refused_before_anything_is_made(self):
        rules = {name: str(rule) for name, rule in TEMPLATE["Rules"].items()}
        for given, needed in [("OidcIssuer", "OidcClientId"), ("DomainName", "CertificateArn"), ("HostedZoneId", "DomainName")]:
            self.assertTrue(any(f"'{given}'" in rule and f"'{needed}'" in rule for rule in rules.values()), given)

    def test_defaults_keep_to_their_own_patterns(self):
        for name, each in PARAMETERS.items():
            self.assertRegex(str(each["Default"]), each.get("AllowedPattern", ".*"), name)


class Gateway(unittest.TestCase):
    def test_a_list_of_origins_stays_a_list(self):
        origins = "https://a.example,https://b.example:8443"
        self.assertRegex(origins, PARAMETERS["CorsOrigins"]["AllowedPattern"])
        for wrong in ("https://a.example, https://b.example", "a.example", "https://a.example/", "*"):
            self.assertNotRegex(wrong, PARAMETERS["CorsOrigins"]["AllowedPattern"])
        body = transformed(CorsOrigins=origins)["Resources"]["Api"]["Properties"]["Body"]
        condition, cors, _ = body["x-amazon-apigateway-cors"]["Fn::If"]
        self.assertEqual(condition, "HasCors")
        self.assertEqual(cors["allowOrigins"], {"Fn::Split": [",", origins]})
        bucket = str(RESOURCES["FilesBucket"]["Properties"]["CorsConfiguration"])
        self.assertIn(str({"Fn::Split": [",", {"Ref": "CorsOrigins"}]}), bucket)

    def test_pages_of_other_origins_may_use_every_method_of_the_api(self):
        routes = [event["Properties"] for each in localize.functions(TEMPLATE).values() for event in each["Properties"].get("Events", {}).values()]
        methods = {route["Method"] for route in routes if route.get("Path", "").startswith("/v1/")}
        allowed = RESOURCES["Api"]["Properties"]["CorsConfiguration"]["Fn::If"][1]["AllowMethods"]
        self.assertEqual(set(allowed), methods)

    def test_nobody_without_a_key_uses_up_the_limit_of_customers_requests(self):
        stage = transformed()["Resources"]["ApiApiGatewayDefaultStage"]["Properties"]
        limited = stage["RouteSettings"]
        routes = {
            f"{route['Method']} {route['Path']}" if "Path" in route else "$default"
            for each in localize.functions(TEMPLATE).values()
            for event in each["Properties"].get("Events", {}).values()
            if event["Type"] == "HttpApi" and (route := event["Properties"])
        }
        self.assertEqual(set(limited), {route for route in routes if " /v1/" not in route and route != "POST /mcp"})
        for route, settings in limited.items():
            self.assertEqual(settings["ThrottlingRateLimit"], {"Ref": "AnonymousRequestsPerSecond"}, route)
            self.assertEqual(settings["ThrottlingBurstLimit"], {"Ref": "AnonymousRequestsPerSecond"}, route)
        self.assertLess(PARAMETERS["AnonymousRequestsPerSecond"]["Default"], PARAMETERS["RequestsPerSecond"]["Default"])

    def test_the_stage_limits_everybodys_requests_to_a_route_together(self):
        stage = transformed(RequestsPerSecond="7", RequestBurst="3")["Resources"]["ApiApiGatewayDefaultStage"]["Properties"]
        settings = stage["DefaultRouteSettings"]
        self.assertEqual(set(settings), {"ThrottlingRateLimit", "ThrottlingBurstLimit"})
        self.assertEqual(settings["ThrottlingRateLimit"], {"Ref": "RequestsPerSecond"})

    def test_no_stage_variable_is_ever_empty(self):
        variables = RESOURCES["Api"]["Properties"]["StageVariables"]
        self.assertEqual(variables["OIDC_CLIENT_ID"]["Fn::If"], ["HasUserPool", {"Ref": "UserPoolClient"}, {"Ref": "AWS::NoValue"}])
        for name, function in localize.functions(TEMPLATE).items():
            own = function["Properties"].get("Environment", {}).get("Variables", {})
            if "OIDC_ISSUER" in own:
                self.assertEqual(own["OIDC_CLIENT_ID"], {"Ref": "OidcClientId"}, name)

    def test_a_domain_is_mapped_to_the_stage_and_leads_to_the_pages(self):
        resources = transformed()["Resources"]
        mapping = resources["DomainMapping"]
        self.assertEqual(mapping["Condition"], "HasDomain")
        self.assertEqual(mapping["Properties"]["Stage"], {"Ref": "ApiApiGatewayDefaultStage"})
        self.assertEqual(resources["DomainRecords"]["Condition"], "HasRecords")
        client = str(RESOURCES["UserPoolClient"]["Properties"])
        self.assertEqual(client.count("https://${DomainName}"), 2)


class Storage(unittest.TestCase):
    def test_tables_are_encrypted_with_the_key_that_costs_nothing(self):
        for name, table in of_type("AWS::DynamoDB::Table").items():
            self.assertNotIn("SSESpecification", table["Properties"], name)

    def test_the_index_of_keys_holds_keys_alone(self):
        (index,) = RESOURCES["KeysTable"]["Properties"]["GlobalSecondaryIndexes"]
        self.assertEqual(index["Projection"], {"ProjectionType": "KEYS_ONLY"})

    def test_operators_can_protect_every_table_and_the_user_pool_from_deletion(self):
        tables = of_type("AWS::DynamoDB::Table")
        self.assertEqual(len(tables), 6)
        for name, table in tables.items():
            self.assertEqual(table["Properties"]["DeletionProtectionEnabled"], {"Ref": "DeletionProtection"}, name)
        self.assertEqual(
            RESOURCES["UserPool"]["Properties"]["DeletionProtection"],
            {"Fn::If": ["HasDeletionProtection", "ACTIVE", "INACTIVE"]},
        )
        # A failed first deployment must be able to delete its tables.
        self.assertEqual(PARAMETERS["DeletionProtection"]["Default"], "false")

    def test_no_result_is_deleted_before_the_time_that_a_job_may_ask_for(self):
        schema = (ROOT / "shared/domain/src/tool/schema.rs").read_text()
        longest = int(re.search(r'"retentionSeconds": \{.*?"maximum": ([0-9_]+)', schema, re.S)[1].replace("_", ""))
        rules = {each["Prefix"]: each["ExpirationInDays"] for each in RESOURCES["FilesBucket"]["Properties"]["LifecycleConfiguration"]["Rules"] if "Prefix" in each}
        self.assertEqual({"inputs/": 1, "uploads/": 1, "outputs/day/": 1, "outputs/week/": 8, "batches/": 31, "relay/": 1}, rules)
        self.assertGreater(rules["outputs/week/"] * 86_400, longest)
        # Results that are kept for the template's longest retention must be in the prefix with a lifecycle of a day.
        self.assertLessEqual(PARAMETERS["OutputRetentionHours"]["MaxValue"], 24 * rules["outputs/day/"])


    def test_requests_and_uploads_are_kept_as_long_as_a_job_may_wait_for_a_worker(self):
        longest = int(re.search(r"LONGEST_QUEUED: Duration = Duration::from_secs\((\d+) \* 3600\)", (ROOT / "functions/sweeper/src/queued.rs").read_text())[1])
        upload = int(re.search(r"UPLOAD_LIFETIME: Duration = Duration::from_secs\((\d+)\)", (ROOT / "shared/domain/src/upload.rs").read_text())[1])
        # Two more hours are plenty for three attempts.
        rules = {each["Prefix"]: each["ExpirationInDays"] for each in RESOURCES["FilesBucket"]["Properties"]["LifecycleConfiguration"]["Rules"] if "Prefix" in each}
        self.assertLessEqual(longest + 2, 24 * rules["inputs/"])
        self.assertLessEqual(upload / 3600 + longest + 2, 24 * rules["uploads/"])

    def test_who_stores_results_may_delete_them_and_who_lists_files_names_a_prefix(self):
        for name, function in localize.functions(TEMPLATE).items():
            about_results = [each for each in statements(function) if "outputs/*" in str(each["Resource"])]
            actions = {action for each in about_results for action in listed(each["Action"])}
            self.assertFalse("s3:PutObject" in actions and "s3:DeleteObject" not in actions, name)
            for each in statements(function):
                if "outputs/*" in str(each.get("Condition")):
                    self.assertEqual(list(each["Condition"]), ["StringLike"], name)


# The collector of request logs and users' pages read the endpoints' lines. Their own are in other groups.
# The group's own ARN ends in `:*`, and a search is one of the group itself.
GROUP_ITSELF = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:${EndpointLogs}"
LOG_READER = {
    "Effect": "Allow",
    "Action": "logs:FilterLogEvents",
    "Resource": [{"Fn::GetAtt": ["EndpointLogs", "Arn"]}, {"Fn::Sub": GROUP_ITSELF}],
}


def takes_keys(function: localize.Template) -> bool:
    """Whether a function has endpoints that take an API key."""
    paths = [event["Properties"].get("Path", "") for event in function["Properties"].get("Events", {}).values()]
    return any(path.startswith(("/v1/", "/mcp")) for path in paths)


class Roles(unittest.TestCase):
    def test_who_looks_for_requests_searches_the_group_of_all_endpoints(self):
        for name in ("RequestLog", "Dashboard"):
            self.assertEqual(RESOURCES[name]["Properties"]["Environment"]["Variables"]["ENDPOINT_LOGS"], {"Ref": "EndpointLogs"})

    def test_every_function_has_a_role_of_its_own_with_exact_actions_on_exact_resources(self):
        functions = localize.functions(TEMPLATE)
        self.assertEqual([f["Properties"]["Role"] for f in functions.values()], [{"Fn::GetAtt": [f"{n}Role", "Arn"]} for n in functions])
        for name, function in functions.items():
            with self.subTest(function=name):
                self.assertNotIn("Policies", function["Properties"])
                # Only its own log group, or that of all endpoints: a group that Lambda created again would block the next first deployment.
                logs, *others = statements(function)
                group = "EndpointLogs" if takes_keys(function) else f"{name}Logs"
                self.assertEqual(function["Properties"]["LoggingConfig"], {"LogGroup": {"Ref": group}})
                self.assertEqual(logs["Action"], ["logs:CreateLogStream", "logs:PutLogEvents"])
                self.assertEqual(logs["Resource"], {"Fn::GetAtt": [group, "Arn"]})
                reads = [each for each in others if "logs:" in str(each)]
                self.assertEqual(reads, [LOG_READER] if name in ("RequestLog", "Dashboard") else [])
                for each in statements(function):
                    if each.get("Sid") in ("InterfacesForLambda", "NotForItsCode"):
                        continue
                    self.assertEqual(each["Effect"], "Allow")
                    self.assertNotIn("*", "".join(listed(each["Action"])))
                    self.assertNotIn("*", listed(each["Resource"]))

    def test_nobody_may_list_the_whole_bucket(self):
        # A condition that is met without a prefix would allow that.
        listed_by = {}
        for name, function in localize.functions(TEMPLATE).items():
            for each in statements(function):
                if "s3:ListBucket" in listed(each["Action"]):
                    listed_by[name] = listed(each["Condition"]["StringLike"]["s3:prefix"])
                    self.assertEqual(list(each["Condition"]), ["StringLike"])
                    self.assertEqual(list(each["Condition"]["StringLike"]), ["s3:prefix"])
        self.assertIn("OfficeWorker", listed_by)
        for name, prefixes in listed_by.items():
            objects = str([each["Resource"] for each in statements(RESOURCES[name]) if "Object" in str(each["Action"])])
            for prefix in prefixes:
                self.assertIn(f"/{prefix}'", objects, name)

    def test_only_the_dashboard_can_sign_its_cookies(self):
        holders = {
            secret: {name for name, function in localize.functions(TEMPLATE).items() if f"${{{secret}}}" in str(function)}
            for secret in of_type("AWS::SecretsManager::Secret")
        }
        self.assertEqual(holders, {
            "CookieKey": {"Dashboard", "Administration"},
            "WebhookKey": {
                "CreateWebhook", "UpdateWebhook", "RotateWebhookSecret", "Deliverer", "Dashboard",
                # A job or a batch may name a webhook with a secret.
                "CreateJob", "CreateToolJob", "ConvertOfficeToPdf", "ConvertHtmlToPdf", "CreateBatch",
            },
            "WebhookSigningKey": {"CreateWebhook", "UpdateWebhook", "GetWebhookKeys", "Deliverer", "Dashboard"},
            "ReceiptKey": {"GetJobReceipt", "Dashboard"},
        })

    def test_who_looks_for_uploads_is_told_which_are_missing(self):
        # S3 answers 403 for missing objects to roles that may not list them, which would look like a fault of the service.
        lookers = 0
        for name, function in localize.functions(TEMPLATE).items():
            allowed = [each for each in statements(function) if "uploads/*" in str(each)]
            if any("s3:GetObject" in listed(each["Action"]) for each in allowed):
                lookers += 1
                self.assertIn("s3:ListBucket", [action for each in allowed for action in listed(each["Action"])], name)
        self.assertGreater(lookers, 0)

    def test_an_accounts_boundary_holds_for_every_role(self):
        boundary = {"Fn::If": ["HasPermissionsBoundary", {"Ref": "PermissionsBoundary"}, {"Ref": "AWS::NoValue"}]}
        # Those of the transform too.
        roles = {name: each for name, each in transformed()["Resources"].items() if each["Type"] == "AWS::IAM::Role"}
        self.assertGreater(len(roles), 40)
        for name, role in roles.items():
            self.assertEqual(role["Properties"].get("PermissionsBoundary"), boundary, name)
        pattern = PARAMETERS["PermissionsBoundary"]["AllowedPattern"]
        for arn in ("arn:aws:iam::123456789012:policy/bounds/developer", "arn:aws-us-gov:iam::aws:policy/PowerUserAccess"):
            self.assertRegex(arn, pattern)
        self.assertNotRegex("developer", pattern)

    def test_no_managed_policy_comes_with_the_transform_but_that_of_codedeploy(self):
        own = {str({"Ref": name}) for name in of_type("AWS::IAM::ManagedPolicy")}
        managed = {
            name: str(foreign)
            for name, each in transformed()["Resources"].items()
            if (foreign := [arn for arn in each.get("Properties", {}).get("ManagedPolicyArns", []) if str(arn) not in own])
        }
        self.assertEqual(managed.keys(), {"CodeDeployRole"})
        self.assertIn("AWSCodeDeployRoleForLambda", managed["CodeDeployRole"])

    def test_every_function_may_do_what_is_written_down(self):
        # A change to a shared policy reaches many functions. The file shows which: read its diff before you commit it.
        self.assertEqual(rights.table(TEMPLATE), rights.WRITTEN.read_text(), "run `make rights` and read the diff")

    def test_only_administrators_pages_may_change_settings_or_add_to_the_audit_trail(self):
        for name, function in localize.functions(TEMPLATE).items():
            writes = {
                action
                for statement in statements(function)
                for action in listed(statement["Action"])
                if "SettingsTable" in str(statement["Resource"]) and action != "dynamodb:Query"
            }
            self.assertEqual(writes, {"dynamodb:PutItem"} if name == "Administration" else set(), name)

    def test_users_pages_read_no_audit_trail_and_administrators_make_no_jobs(self):
        functions = localize.functions(TEMPLATE)
        (settings,) = [each for each in statements(functions["Dashboard"]) if "SettingsTable" in str(each["Resource"])]
        kinds = settings["Condition"]["ForAllValues:StringEquals"]["dynamodb:LeadingKeys"]
        self.assertEqual(kinds, ["tool", "plan", "service"])
        # The health page shows when the next event is due, and nothing of it: the index has keys only.
        used = str(statements(functions["Administration"])).replace("${EventsTable.Arn}/index/due", "")
        for withheld in ("s3:", "sqs:SendMessage", "EventsTable", "dynamodb:DeleteItem"):
            self.assertNotIn(withheld, used)

    def test_each_page_is_served_by_one_of_the_two(self):
        routes = {
            name: {event["Properties"]["Path"] for event in function["Properties"]["Events"].values()}
            for name, function in localize.functions(TEMPLATE).items()
            if localize.binary_of(function) == "dashboard"
        }
        self.assertEqual(set(routes), {"Dashboard", "Administration"})
        self.assertTrue(all(path.startswith("/admin") for path in routes["Administration"]))
        self.assertFalse(any(path.startswith("/admin") for path in routes["Dashboard"]))


class Versions(unittest.TestCase):
    ROLLBACK = ["CreateErrorsAlarm", "JobsFailingAlarm", "SourcesFailingAlarm", "TransactionConflictsAlarm", "IndexThrottlesAlarm"]
    WORKERS = ["OfficeWorker", "HtmlWorker", "PdfWorker"]

    def test_functions_that_create_jobs_are_deployed_bit_by_bit(self):
        resources = transformed()["Resources"]
        self.assertLessEqual({"CreateJob", "CreateToolJob", "ConvertOfficeToPdf"}, creators().keys())
        for name in creators():
            with self.subTest(function=name):
                group = resources[f"{name}DeploymentGroup"]["Properties"]
                self.assertIn("Canary10Percent5Minutes", str(group["DeploymentConfigName"]))
                alarms, essential = [[each["Name"]["Ref"] for each in part["Alarms"]] for part in group["AlarmConfiguration"]["Fn::If"][1:]]
                self.assertEqual(essential, alarms[:1])
                self.assertEqual(alarms, self.ROLLBACK)
                self.assertIn("DEPLOYMENT_STOP_ON_ALARM", group["AutoRollbackConfiguration"]["Events"])
                self.assertIn(f"{{{name}Aliaslive}}", str(resources["Api"]["Properties"]["Body"]))

    def test_an_alarm_of_theirs_watches_each_of_them(self):
        watched = str(RESOURCES["CreateErrorsAlarm"])
        for name in creators():
            self.assertIn(f"'Value': {{'Ref': '{name}'}}", watched)

    def test_no_alarm_that_takes_a_deployment_back_waits_for_the_deployment(self):
        # The API refers to the aliases, and they wait for these alarms, which would be a circular dependency.
        for name in self.ROLLBACK:
            self.assertNotIn("{'Ref': 'Api'}", str(RESOURCES[name]), name)

    def test_queues_give_a_new_version_of_a_worker_a_tenth_of_the_jobs_first(self):
        resources = transformed()["Resources"]
        for name in self.WORKERS:
            with self.subTest(worker=name):
                self.assertEqual(resources[f"{name}Source"]["Properties"]["FunctionName"], {"Ref": f"{name}Aliaslive"})
                group = resources[f"{name}DeploymentGroup"]["Properties"]
                self.assertIn("Canary10Percent10Minutes", str(group["DeploymentConfigName"]))
                alarms, essential = [[each["Name"]["Ref"] for each in part["Alarms"]] for part in group["AlarmConfiguration"]["Fn::If"][1:]]
                self.assertEqual(essential, alarms[:1])
                self.assertEqual(alarms, [f"{name}ErrorsAlarm", "JobsFailingAlarm", "SourcesFailingAlarm"])

    def test_a_deployment_is_not_taken_back_for_what_a_customer_sends(self):
        # Every failure of a job is counted in `jobs` by its code: only completions may be looked at there.
        for name in {*self.ROLLBACK, *(f"{worker}ErrorsAlarm" for worker in self.WORKERS)}:
            for each in RESOURCES[name]["Properties"]["Metrics"]:
                metric = each.get("MetricStat", {}).get("Metric", {})
                if metric.get("MetricName") == "jobs":
                    self.assertIn({"Name": "code", "Value": "completed"}, metric["Dimensions"], name)
        # One account is in one group, so its sources alone never reach three of them.
        sources = RESOURCES["SourcesFailingAlarm"]["Properties"]
        self.assertEqual(sources["Threshold"], 2)
        self.assertEqual(sources["Metrics"][0]["Expression"].count("IF("), 5)

    def test_gradual_deployments_can_be_turned_off_while_an_alarm_is_on(self):
        resources = transformed(GradualDeployments="false")["Resources"]
        self.assertFalse([each for each in resources.values() if each["Type"].startswith("AWS::CodeDeploy")])
        self.assertIn("CreateJobAliaslive", resources)

    def test_a_change_of_parameters_alone_is_a_new_version(self):
        # The transform does not know parameter values, so the packages contain a digest of them.
        self.assertEqual(versions(transformed(LogLevel="info")), versions(transformed(LogLevel="debug")))
        # Built without them, as from a release's archive, there is a stamp too.
        for makefile, target in (("infra/deploy.mk", "\ndeploy: deploy-check"), ("Makefile", "\nbuild-lambda:")):
            self.assertIn("$(STAMP)", (ROOT / makefile).read_text().split(target)[1].split("\n\n")[0])
        self.assertIn("COPY target/lambda/worker/parameters ", (ROOT / "infra/worker/Dockerfile").read_text())

    def test_environments_can_be_kept_ready(self):
        alias = transformed()["Resources"]["CreateJobAliaslive"]["Properties"]["ProvisionedConcurrencyConfig"]
        self.assertEqual(alias["Fn::If"][0], "HasProvisionedCreates")


class Workers(unittest.TestCase):
    def test_each_queue_has_its_worker_dead_letters_settings_and_alarms(self):
        code = (ROOT / "shared/domain/src/job/queue.rs").read_text().split("impl QueueName", 1)[1].split("\n}", 1)[0]
        queues = re.findall(r'Self::\w+ => "(\w+)"', code)
        self.assertGreaterEqual(len(queues), 3)
        variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
        for queue in queues:
            with self.subTest(queue=queue):
                kind = queue.capitalize()
                worker = RESOURCES[f"{kind}Worker"]["Properties"]
                self.assertEqual(worker["Environment"]["Variables"]["ENGINES"], queue)
                source = RESOURCES[f"{kind}WorkerSource"]["Properties"]
                self.assertEqual(source["EventSourceArn"], {"Fn::GetAtt": [f"{kind}Queue", "Arn"]})
                self.assertEqual(source["FunctionName"], {"Ref": f"{kind}Worker.Alias"})
                self.assertEqual(source["ScalingConfig"]["MaximumConcurrency"], {"Ref": f"{kind}Concurrency"})
                redrive = RESOURCES[f"{kind}Queue"]["Properties"]["RedrivePolicy"]
                self.assertEqual(redrive["deadLetterTargetArn"], {"Fn::GetAtt": [f"{kind}DeadLetters", "Arn"]})
                self.assertEqual(variables[f"{queue.upper()}_QUEUE_URL"], {"Ref": f"{kind}Queue"})
                for alarm in ("DeadLetters", "Backlog", "Stalled", "WorkerErrors"):
                    self.assertIn(f"{kind}{alarm}Alarm", RESOURCES)
                rights = statements(RESOURCES[f"{kind}Worker"])
                own = {str(s["Resource"]) for s in rights if "sqs:ReceiveMessage" in str(s["Action"])}
                self.assertEqual(own, {str({"Fn::GetAtt": [f"{kind}Queue", "Arn"]})})
                # Jobs that wait for one that ends here may be in any queue.
                (told,) = [s["Resource"] for s in rights if s["Action"] == "sqs:SendMessage"]
                # And its event is announced to the deliverer.
                self.assertEqual(told, [{"Fn::GetAtt": [f"{each.capitalize()}Queue", "Arn"]} for each in [*queues, "events"]])


class Chains(unittest.TestCase):
    def test_lambda_stops_no_chain_of_messages_that_is_meant(self):
        # A function is in a chain if its messages can lead to itself again. Lambda stops those after 16 messages, silently.
        sources = [each["Properties"] for each in transformed()["Resources"].values() if each["Type"] == "AWS::Lambda::EventSourceMapping"]
        read: dict[str, set[str]] = {}
        for source in sources:
            function = source["FunctionName"]["Ref"].removesuffix("Aliaslive").removesuffix(".Alias")
            read.setdefault(function, set()).add(source["EventSourceArn"]["Fn::GetAtt"][0])
        sent = {
            name: {rights.named(to) for each in statements(RESOURCES[name]) if "sqs:SendMessage" in listed(each["Action"]) for to in listed(each["Resource"])}
            for name in read
        }
        # S3 tells the relay's queue of new requests.
        for name in read:
            if any("relay/requests/*" in str(each["Resource"]) and "s3:PutObject" in listed(each["Action"]) for each in statements(RESOURCES[name])):
                sent[name].add("RelayQueue")
        calls = {name: {other for other in read if read[other] & sent[name]} for name in read}
        chained = {name for name in read if name in reached(calls, name)}
        self.assertLessEqual({"OfficeWorker", "HtmlWorker", "PdfWorker", "Deliverer", "BatchRunner"}, chained)
        allowed = {name for name, each in localize.functions(TEMPLATE).items() if each["Properties"].get("RecursiveLoop") == "Allow"}
        self.assertEqual(allowed, chained)
        made = transformed()["Resources"]
        self.assertEqual({name for name, each in made.items() if each["Properties"].get("RecursiveLoop") == "Allow"}, chained)


def reached(calls: dict[str, set[str]], start: str) -> set[str]:
    """What a function's messages lead to, over any number of others."""
    found: set[str] = set()
    ahead = list(calls[start])
    while ahead:
        if (name := ahead.pop()) not in found:
            found.add(name)
            ahead.extend(calls[name])
    return found


class Timeouts(unittest.TestCase):
    def test_the_longest_of_each_kind_are_those_that_the_functions_expect(self):
        default = TEMPLATE["Globals"]["Function"]["Timeout"]
        timeouts = {name: each["Properties"].get("Timeout", default) for name, each in localize.functions(TEMPLATE).items()}
        workers = {timeouts[name] for name in ("OfficeWorker", "HtmlWorker", "PdfWorker")}
        answering = max(timeouts[name] for name, each in localize.functions(TEMPLATE).items() if "HttpApi" in str(each["Properties"].get("Events")))
        for file, name, expected in (
            ("functions/worker/src/lambda.rs", "LONGEST_INVOCATION", workers),
            ("shared/http/src/request.rs", "LONGEST_TIME", {answering}),
        ):
            (seconds,) = re.findall(rf"const {name}: Duration = Duration::from_secs\((\d+)\);", (ROOT / file).read_text())
            self.assertEqual({int(seconds)}, expected)


class ConverterNetwork(unittest.TestCase):
    ISOLATED = ("OfficeWorker", "PdfWorker")

    def test_the_workers_of_documents_are_in_a_network_without_a_way_out(self):
        network = {"SubnetIds": [{"Ref": "ConverterSubnetA"}, {"Ref": "ConverterSubnetB"}], "SecurityGroupIds": [{"Ref": "ConverterFirewall"}]}
        expected = {"Fn::If": ["IsIsolated", network, {"Ref": "AWS::NoValue"}]}
        placed = {name: each["Properties"]["VpcConfig"] for name, each in localize.functions(TEMPLATE).items() if "VpcConfig" in each["Properties"]}
        self.assertEqual(placed, dict.fromkeys(self.ISOLATED, expected))
        self.assertEqual(PARAMETERS["ConverterNetwork"]["Default"], "isolated")
        for name in self.ISOLATED:
            self.assertEqual(RESOURCES[name]["Properties"]["Environment"]["Variables"]["CONVERTER_NETWORK"], {"Ref": "ConverterNetwork"})
        # Nobody else is told that it has none: a worker of pages would then load none.
        self.assertEqual(set(self.ISOLATED), {name for name, each in localize.functions(TEMPLATE).items() if "CONVERTER_NETWORK" in str(each)})
        # Nothing of EC2's that leads elsewhere, now or after a change.
        kinds = sorted(each["Type"] for each in RESOURCES.values() if each["Type"].startswith("AWS::EC2::"))
        allowed = {"RouteTable": 1, "SecurityGroup": 1, "Subnet": 2, "SubnetRouteTableAssociation": 2, "VPC": 1, "VPCEndpoint": 2}
        self.assertEqual(kinds, sorted(f"AWS::EC2::{kind}" for kind, count in allowed.items() for _ in range(count)))
        (firewall,) = of_type("AWS::EC2::SecurityGroup").values()
        ((egress,), ingress) = firewall["Properties"]["SecurityGroupEgress"], firewall["Properties"].get("SecurityGroupIngress")
        self.assertEqual((egress["IpProtocol"], egress["FromPort"], egress["ToPort"], ingress), ("tcp", 443, 443, None))

    def test_its_endpoints_lead_to_what_workers_use_and_nothing_else(self):
        for endpoint, prefix in (("ConverterFilesEndpoint", "s3:"), ("ConverterTablesEndpoint", "dynamodb:")):
            properties = RESOURCES[endpoint]["Properties"]
            # Of the type Gateway, which is the default and costs nothing.
            self.assertNotIn("VpcEndpointType", properties)
            (statement,) = properties["PolicyDocument"]["Statement"]
            self.assertEqual(statement["Condition"], {"StringEquals": {"aws:PrincipalAccount": {"Ref": "AWS::AccountId"}}})
            self.assertNotIn("*", listed(statement["Resource"]))
            used = [each for name in self.ISOLATED for each in statements(RESOURCES[name]) if prefix in str(each["Action"])]
            self.assertEqual({action for each in used for action in listed(each["Action"])}, set(statement["Action"]))
            named = {rights.named(each) for each in listed(statement["Resource"])}
            needed = {rights.named(resource) for each in used for resource in listed(each["Resource"])}
            self.assertEqual({name for name in needed if not name.startswith("FilesBucket/")} - {"FilesBucket"}, named - {"FilesBucket", "FilesBucket/*"})

    def test_its_resolver_knows_the_names_of_its_endpoints_alone(self):
        allow, block = RESOURCES["ConverterNamesRules"]["Properties"]["FirewallRules"]
        self.assertLess(allow["Priority"], block["Priority"])
        self.assertEqual((allow["Action"], block["Action"], block["BlockResponse"]), ("ALLOW", "BLOCK", "NXDOMAIN"))
        self.assertEqual(RESOURCES["OtherNames"]["Properties"]["Domains"], ["*"])
        self.assertEqual(block["FirewallDomainListId"], {"Ref": "OtherNames"})
        names = [each["Fn::Sub"] for each in RESOURCES["ConverterNames"]["Properties"]["Domains"]]
        self.assertTrue(all(name.endswith(".${AWS::Region}.${AWS::URLSuffix}") and "*" not in name for name in names), names)
        self.assertEqual(RESOURCES["ConverterNamesFirewall"]["Properties"]["VpcId"], {"Ref": "ConverterVpc"})

    def test_the_workers_own_code_may_not_touch_network_interfaces(self):
        for name in self.ISOLATED:
            allow, deny = [each for each in statements(RESOURCES[name]) if "ec2:CreateNetworkInterface" in each["Action"]]
            self.assertEqual((allow["Effect"], deny["Effect"]), ("Allow", "Deny"))
            self.assertEqual((allow["Action"], allow["Resource"]), (deny["Action"], deny["Resource"]))
            self.assertEqual(list(deny["Condition"]["ArnLike"]), ["lambda:SourceFunctionArn"])
        for name, function in localize.functions(TEMPLATE).items():
            if name not in self.ISOLATED:
                self.assertNotIn("ec2:", str(statements(function)), name)

    def test_the_relay_can_read_no_table_and_no_document_but_results(self):
        (queue,) = RESOURCES["FilesBucket"]["Properties"]["NotificationConfiguration"]["Fn::If"][1]["QueueConfigurations"]
        self.assertEqual(queue["Filter"]["S3Key"]["Rules"], [{"Name": "prefix", "Value": "relay/requests/"}])
        allowed = statements(RESOURCES["EgressRelay"])
        self.assertNotIn("dynamodb:", str(allowed))
        read = {rights.named(to) for each in allowed if "s3:GetObject" in listed(each["Action"]) for to in listed(each["Resource"])}
        self.assertEqual(read, {"FilesBucket/relay/requests/*", "FilesBucket/relay/claims/*", "FilesBucket/outputs/*"})
        # SQS gives a message to one relay for six times as long as it may work.
        self.assertEqual(RESOURCES["RelayQueue"]["Properties"]["VisibilityTimeout"], 6 * RESOURCES["EgressRelay"]["Properties"]["Timeout"])


class Sweeps(unittest.TestCase):
    def test_sweeps_that_could_not_begin_do_not_queue_up(self):
        sweeper = RESOURCES["Sweeper"]["Properties"]
        expected = {"MaximumEventAgeInSeconds": 60, "MaximumRetryAttempts": 0}
        self.assertEqual(sweeper["EventInvokeConfig"], expected)
        self.assertEqual(sweeper["Events"]["EveryMinute"]["Properties"]["RetryPolicy"], expected)
        target = next(each for each in transformed()["Resources"].values() if each["Type"] == "AWS::Events::Rule")
        self.assertEqual(target["Properties"]["Targets"][0]["RetryPolicy"], expected)

    def test_the_sweeper_has_an_environment_of_its_own_where_the_account_can_spare_one(self):
        reserved = RESOURCES["Sweeper"]["Properties"]["ReservedConcurrentExecutions"]
        self.assertEqual(reserved, {"Fn::If": ["HasReservation", 1, {"Ref": "AWS::NoValue"}]})


class Image(unittest.TestCase):
    def test_the_base_is_one_that_nobody_can_exchange(self):
        dockerfile = (ROOT / "infra/worker/Dockerfile").read_text()
        self.assertRegex(dockerfile, re.compile(r"^FROM debian:\w+-slim@sha256:[0-9a-f]{64}$", re.M))


class Cost(unittest.TestCase):
    def test_a_budget_is_made_for_whoever_is_to_be_told(self):
        (budget,) = of_type("AWS::Budgets::Budget").values()
        self.assertEqual(budget["Condition"], "HasBudget")
        self.assertIn({"Condition": "KnowsBudgets"}, TEMPLATE["Conditions"]["HasBudget"]["Fn::And"])
        self.assertEqual(budget["Properties"]["Budget"]["BudgetLimit"]["Amount"], {"Ref": "MonthlyBudget"})
        told = budget["Properties"]["NotificationsWithSubscribers"]
        self.assertEqual({each["Notification"]["NotificationType"] for each in told}, {"ACTUAL", "FORECASTED"})
        self.assertEqual(str(told).count("{'Ref': 'BudgetEmail'}"), len(told))


class Documents(unittest.TestCase):
    def test_every_parameter_is_grouped_and_explained(self):
        groups = TEMPLATE["Metadata"]["AWS::CloudFormation::Interface"]["ParameterGroups"]
        grouped = [name for group in groups for name in group["Parameters"]]
        self.assertEqual(sorted(grouped), sorted(PARAMETERS))
        operations = (ROOT / "infra/OPERATIONS.md").read_text()
        table = "".join(line for line in operations.splitlines() if line.startswith("| `"))
        for name in PARAMETERS:
            self.assertIn(f"`{name}`", table)

    def test_sam_takes_a_failed_first_deployment_away(self):
        # Otherwise, the stack would stay in ROLLBACK_COMPLETE, which blocks further deployments.
        settings = (ROOT / "samconfig.toml").read_text()
        self.assertIn('on_failure = "DELETE"', settings)


if __name__ == "__main__":
    unittest.main()
