"""Things there is a bounded number of, in all and for each client: connections, subscriptions."""

from collections import Counter


class Seats:
    """Who holds how many of something there is a bounded number of."""

    def __init__(self, most: int, most_of_one_client: int) -> None:
        self._most = most
        self._most_of_one_client = most_of_one_client
        self._taken = Counter[str]()

    @property
    def taken(self) -> int:
        """How many are taken."""
        return self._taken.total()

    def take(self, client: str) -> bool:
        """Take one for a client; false where there is none left for it."""
        if self.taken >= self._most or self._taken[client] >= self._most_of_one_client:
            return False
        self._taken[client] += 1
        return True

    def leave(self, client: str) -> None:
        """Give one back."""
        self._taken[client] -= 1
        if not self._taken[client]:
            del self._taken[client]
