//! Integration tests: handlers, stores and workers with the emulator at `AWS_ENDPOINT_URL`, and journeys through the deployed
//! stack at `DOCMILL_URL`. `make test` starts both and sets the environment.
//!
//! Every test has its own accounts and jobs, so that all tests can run in parallel.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test says what is wrong by panicking")]
#![allow(clippy::wildcard_enum_match_arm, reason = "what a test does not expect is wrong, whatever it is")]
#![allow(unreachable_pub, missing_debug_implementations, reason = "nothing here is used from outside")]

mod support;

mod account_keys;
mod account_policy;
mod account_usage;
mod administration;
mod admission;
mod batch_archives;
mod batch_deletion;
mod batch_journeys;
mod batch_lists;
mod batch_pages;
mod batches;
mod bench_sweeper;
mod bench_webhooks;
mod budgets;
mod chains;
mod clients;
mod command_line;
mod connecting;
mod contract;
mod control;
mod create_jobs;
mod credits;
mod dashboard_account;
mod description;
mod error_table;
mod event_log;
mod events;
mod every_tool;
mod examples;
mod extraction;
mod fair_shares;
mod fault_matrix;
mod fault_stories;
mod fault_troubles;
mod fonts;
mod idempotency;
mod injected_faults;
mod job_list;
mod journeys;
mod kms;
mod large_requests;
mod mcp_clients;
mod mcp_tools;
mod offers;
mod option_canaries;
mod order_of_checks;
mod outcomes;
mod people;
mod plans;
mod playground;
mod read_jobs;
mod receipts;
mod receivers;
mod redrive;
mod relay;
mod request_log;
mod samples;
mod secrets;
mod sent_files;
mod source_jobs;
mod stored_templates;
mod sweeping;
mod telemetry;
mod template_files;
mod template_limits;
mod templates;
mod tool_checks;
mod tools;
mod uploads;
mod waiting;
mod webhook_deliveries;
mod webhook_destinations;
mod webhook_endpoints;
mod webhook_faults;
mod webhooks;
mod word_pages;
mod worker_pipeline;
