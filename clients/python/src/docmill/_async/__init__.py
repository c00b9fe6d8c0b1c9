"""The asynchronous client, from which scripts/generate_sync.py makes the other one."""
