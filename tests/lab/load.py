"""A bounded load: so many orders a second for so long, on loopback only."""

import json
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

WORKERS = 40
_MOST = 20_000
_FASTEST = 50.0
_LONGEST = 1800.0


class Load:
    """Sends orders in the background until stopped or until a bound is met: 20,000 requests or half an hour.

    Args:
        orders, payments: the services' addresses.
        per_second: requests per second, above 0 and 50 at most.

    Raises:
        ValueError: another rate, or an address that is not 127.0.0.1.
    """

    def __init__(self, orders: str, payments: str, per_second: float) -> None:
        if not 0 < per_second <= _FASTEST:
            raise ValueError(f"{per_second} requests per second; above 0 and {_FASTEST:g} at most")
        for address in (orders, payments):
            if urllib.parse.urlsplit(address).hostname != "127.0.0.1":
                raise ValueError(f"{address} is not on 127.0.0.1")
        self._orders = orders
        self._payments = payments
        self._pause = 1.0 / per_second
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.sent = 0

    def __enter__(self) -> "Load":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(timeout=10)

    def _run(self) -> None:
        with ThreadPoolExecutor(WORKERS) as workers:
            due = time.monotonic()
            last = due + _LONGEST
            while not self._stop.is_set() and self.sent < _MOST and due < last:
                self.sent += 1
                if self.sent % 6 == 0:
                    workers.submit(_send, f"{self._payments}/payments", None)
                else:
                    body: dict[str, object] = {"order": f"A{10000 + self.sent}", "amount": 10 + self.sent % 90}
                    workers.submit(_send, f"{self._orders}/orders", body)
                due += self._pause
                self._stop.wait(max(0.0, due - time.monotonic()))


def _send(url: str, body: dict[str, object] | None) -> None:
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(url, data=data, timeout=10) as answer:  # noqa: S310  # because it is the lab's own
            answer.read()
    except (urllib.error.HTTPError, OSError):
        # because failing is what the lab's service is there for; its own logs and metrics tell
        return
