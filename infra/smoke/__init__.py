"""Whether a deployed service works: sign-in, a key, a job of each queue, a webhook, a download, a deletion, alarms."""
