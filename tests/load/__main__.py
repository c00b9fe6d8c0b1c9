"""Puts load on a stack while its workers are killed, and checks that nothing is lost or charged twice.

`make load` runs it with its own stack. Many clients create jobs at once, each with an idempotency key for repetitions; workers of
this stack are killed at random; then the API and the storage must agree on all jobs. Exit code 1 and a line for each
contradiction."""

import argparse
import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from load.audit import audit
from load.batch import kill_during_a_batch
from load.clients import Clients
from load.crowd import Crowd
from load.figures import percentiles, print_figures, queue_times
from load.killer import Killer
from load.stack import Stack


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m load", description=__doc__.partition("\n")[0])
    arguments.add_argument("--jobs", type=int, default=2000)
    arguments.add_argument("--clients", type=int, default=50)
    arguments.add_argument("--kills", type=int, default=20, help="how many workers are killed, at random moments")
    arguments.add_argument("--patience", type=float, default=1800, help="seconds until the last job must have ended")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--crowd", type=int, default=0,
                           help="in place of kills: so many jobs of another account wait for one, and the queue times are compared")
    arguments.add_argument("--batch", type=int, default=0,
                           help="in place of jobs from clients: a batch of so many rows, and the runner of batches is killed too")
    arguments.add_argument("--runner-kills", type=int, default=1,
                           help="how often the runner of a batch is killed: each time, its lease of 90 seconds has to end")
    arguments.add_argument("--with-batch", type=int, default=0,
                           help="beside jobs from clients: a batch of so many rows, during which its runner is killed")
    settings = arguments.parse_args()

    stack = Stack.of_environment()
    if settings.batch:
        return kill_during_a_batch(stack, settings)
    if settings.crowd:
        return beside_a_crowd(stack, settings)
    with ThreadPoolExecutor(max_workers=1) as beside:
        # Killed workers are those of the jobs from clients.
        batch = argparse.Namespace(**vars(settings) | {"batch": settings.with_batch, "kills": 0})
        of_batch = beside.submit(kill_during_a_batch, stack, batch) if settings.with_batch else None
        of_jobs = kill_during_jobs(stack, settings)
        return max(of_jobs, of_batch.result() if of_batch else 0)


def kill_during_jobs(stack: Stack, settings: argparse.Namespace) -> int:
    account, key = stack.make_account(settings.jobs)
    clients = Clients(stack, key, settings.jobs, settings.clients)
    killer = Killer(stack, {"worker": settings.kills}, settings.seed)
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


def beside_a_crowd(stack: Stack, settings: argparse.Namespace) -> int:
    """Runs the same jobs twice: alone, and beside an account that asks for as much as it may."""
    deadline = time.monotonic() + settings.patience
    alone = run(stack, settings, deadline)
    crowd = Crowd(stack, settings.crowd)
    crowd.gather()
    with crowd.keep_asking(stack.spare_port):
        beside = run(stack, settings, deadline)
    problems = alone.problems + beside.problems + crowd.end(deadline)
    for name, clients in {"alone": alone, "beside the crowd": beside}.items():
        print(f"  wait in the queue, {name:<20}{percentiles(queue_times(clients.ended))}")
        problems += [f"job {id} never ended" for id in clients.ids.values() if id not in clients.ended]
    for problem in problems[:50]:
        print(f"  wrong: {problem}", file=sys.stderr)
    print(f"  requests of the crowd that asked to wait: {crowd.asked}")
    print(json.dumps({"crowd": len(crowd.ids), "wrong": len(problems)}))
    return 1 if problems else 0


def run(stack: Stack, settings: argparse.Namespace, deadline: float) -> Clients:
    _, key = stack.make_account(settings.jobs)
    clients = Clients(stack, key, settings.jobs, settings.clients)
    clients.create_all()
    clients.wait_for_ends(deadline)
    return clients


if __name__ == "__main__":
    sys.exit(main())
