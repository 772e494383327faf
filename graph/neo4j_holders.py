"""Who needs the managed Neo4j: a file a holder, locked for as long as its process lives.

Whether a holder lives is the operating system's word: a lock ends with its process, however that ends. No number has to
be believed for it, neither a pid, which may be reused, nor a start time, which moves when the clock is set. And nothing
that is written in a file decides whether a server in use may be stopped: a spoilt file is still a locked one.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

_SUFFIX: Final = ".holder"
_PROBED_SECONDS: Final = 10.0
"""Another process that looks whether a holder lives has its lock for an instant."""


class Holding:
    """One holder's place among the holders in `folder`; empty until `take`.

    Args:
        folder: where the holders' files are.
        token: tells apart two holders in one process.
    """

    def __init__(self, folder: Path, token: str) -> None:
        self._path = folder / f"{os.getpid()}-{token}{_SUFFIX}"
        # Taken in one thread and let go in another.
        self._lock = FileLock(self._path, mode=0o600, thread_local=False)

    def take(self) -> bool:
        """Be a holder from now on, and return whether it was none before.

        Raises:
            OSError: the file cannot be made.
        """
        if self._lock.is_locked:
            return False
        self._path.parent.mkdir(mode=0o700, exist_ok=True)
        self._lock.acquire(timeout=_PROBED_SECONDS)
        return True

    def release(self) -> None:
        """Be none any more. Repeating it is harmless."""
        if self._lock.is_locked:
            self._lock.release(force=True)
            with suppress(OSError):  # a file that is not locked holds nothing: the next to look removes it
                self._path.unlink(missing_ok=True)


def living_holders(folder: Path) -> tuple[int, ...]:
    """Return the pids of the living holders, in order; files of the dead are removed."""
    try:
        files = sorted(folder.glob(f"*{_SUFFIX}"))
    except OSError:
        return ()
    return tuple(sorted(_pid(file) for file in files if _is_held(file)))


def _is_held(file: Path) -> bool:
    lock = FileLock(file, mode=0o600, thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    except OSError:  # somebody else's, or no file at all: who cannot be asked may live
        return True
    lock.release(force=True)
    with suppress(OSError):
        file.unlink(missing_ok=True)
    return False


def _pid(file: Path) -> int:
    pid = file.name.partition("-")[0]
    return int(pid) if pid.isdecimal() else 0
