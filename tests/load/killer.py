"""Kills workers at any point of their work, by process id."""

import os
import random
import signal
import time
from collections.abc import Callable

from load.stack import Stack


class Killer:
    def __init__(self, stack: Stack, kills: int, seed: int):
        self.stack, self.left, self.random = stack, kills, random.Random(seed)
        self.killed = 0

    def kill_while(self, goes_on: Callable[[], bool], deadline: float) -> None:
        while self.left > 0 and time.monotonic() < deadline and goes_on():
            time.sleep(self.random.uniform(0.2, 3))
            workers = self.stack.workers()
            if not workers:
                continue
            try:
                os.kill(self.random.choice(workers), signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.killed += 1
            self.left -= 1
