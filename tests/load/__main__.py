"""Puts load on a stack while its workers are killed, and looks whether anything was lost or charged twice.

`make load` starts a stack of its own around it. Many clients create jobs at once, each with an idempotency key that they
repeat on every doubt; workers of this stack are killed at random; then everything that the service and its storage say
about the jobs must agree. Exit code 1 and a line for each thing that does not.
"""

import argparse
import json
import sys
import threading
import time

from load.audit import audit
from load.clients import Clients
from load.figures import print_figures
from load.killer import Killer
from load.stack import Stack


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m load", description=__doc__.partition("\n")[0])
    arguments.add_argument("--jobs", type=int, default=2000)
    arguments.add_argument("--clients", type=int, default=50)
    arguments.add_argument("--kills", type=int, default=20, help="how many workers are killed, at random moments")
    arguments.add_argument("--patience", type=float, default=1800, help="seconds until the last job must have ended")
    arguments.add_argument("--seed", type=int, default=1)
    settings = arguments.parse_args()

    stack = Stack.of_environment()
    account, key = stack.make_account(settings.jobs)
    clients = Clients(stack, key, settings.jobs, settings.clients)
    killer = Killer(stack, settings.kills, settings.seed)
    started = time.monotonic()
    creating = threading.Thread(target=clients.create_all)
    creating.start()
    killer.kill_while(lambda: creating.is_alive() or clients.open_jobs() > 0, started + settings.patience)
    creating.join()
    jobs = clients.wait_for_ends(started + settings.patience)
    problems = audit(stack, account, key, clients, jobs, killer.killed)
    print_figures(clients, jobs, killer, time.monotonic() - started)
    for problem in problems[:50]:
        print(f"  wrong: {problem}", file=sys.stderr)
    print(json.dumps({"jobs": len(jobs), "wrong": len(problems)}))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
