"""How long a process has been running, whatever was done to the clock meanwhile."""

import time

import psutil


def seconds_running(pid: int) -> float:
    """Return for how many seconds the process with this pid has been running.

    On Linux a process's start is counted from the machine's boot, as its monotonic clock is; the date of either moves
    when the clock is set, so a duration is never taken from dates where there is another way.

    Raises:
        psutil.NoSuchProcess: it has ended.
    """
    started = psutil.Process(pid).create_time()  # not one that was looked up before: it is kept as it was then
    if hasattr(time, "CLOCK_BOOTTIME"):
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - (started - psutil.boot_time()))
    return max(0.0, time.time() - started)
