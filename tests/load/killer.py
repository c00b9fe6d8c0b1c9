"""Kills workers, or other programs, at any point of their work, by process id."""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable

from load.stack import Stack


class Killer:
    def __init__(self, stack: Stack, kills: dict[str, int], seed: int, longest_pause: float = 3):
        """`kills`: how many processes of each program are killed."""
        self.stack, self.left, self.random, self.longest_pause = stack, Counter(kills), random.Random(seed), longest_pause
        self.by_program: Counter[str] = Counter()

    @property
    def killed(self) -> int:
        return self.by_program.total()

    def kill_while(self, goes_on: Callable[[], bool], deadline: float) -> None:
        while self.left.total() > 0 and time.monotonic() < deadline and goes_on():
            time.sleep(self.random.uniform(0.2, self.longest_pause))
            program = self.random.choice([name for name, left in self.left.items() if left > 0])
            processes = self.stack.processes(program)
            if not processes:
                continue
            try:
                os.kill(self.random.choice(processes), signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.by_program[program] += 1
            self.left[program] -= 1
