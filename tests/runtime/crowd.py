"""Many processes at once, on one store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from entracte.testing.world import World

MAX_ROUNDS = 200


def settle_at_once(world: World, *, processes: int = 8, rounds: int = MAX_ROUNDS) -> None:
    """Deliver everything that waits at the same time, each message to a process of its own; until nothing waits."""
    fleet = [world.new_process() for _ in range(processes)]
    with ThreadPoolExecutor(processes) as pool:
        for _ in range(rounds):
            if not world.bus.waiting:
                return
            batch, world.bus.waiting = world.bus.waiting[:processes], world.bus.waiting[processes:]
            list(pool.map(world.deliver, batch, fleet))
    raise AssertionError(f"not settled after {rounds} rounds")
