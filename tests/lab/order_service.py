"""order-service: takes orders and has them paid by payment-service."""

import argparse
import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from tests.lab.service import Failed, LabService, Request

SECONDS = 5.0


class Orders:
    """The service's one route."""

    def __init__(self, service: LabService, payment: str) -> None:
        self._service = service
        self._payment = payment

    def order(self, request: Request) -> dict[str, Any]:
        """Place an order; a payment that fails fails the order."""
        span = self._service.begin("POST payment-service/pay", request.span)
        call = urllib.request.Request(  # noqa: S310  # because the address is the lab's own, on loopback
            f"{self._payment}/pay",
            data=json.dumps(request.body).encode(),
            headers={"X-Trace-Id": span.trace_id, "X-Parent-Span": span.span_id, "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(call, timeout=SECONDS) as answer:  # noqa: S310  # because it is the lab's own
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
        except OSError as error:
            self._service.end(span, "error")
            raise Failed(503, f"payment-service is unreachable: {error}") from error
        self._service.end(span, "error" if status >= 500 else "ok")
        if status >= 500:
            raise Failed(503, f"payment-service answered {status} for order {request.body.get('order')}")
        text = f"order {request.body.get('order')} finished with {status}"
        self._service.log("INFO", text, trace_id=request.span.trace_id)
        return {"result": "placed" if status == 200 else "declined"}


def main() -> None:
    """Run the process."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--payment", required=True)
    parser.add_argument("--folder", type=Path, required=True)
    given = parser.parse_args()
    service = LabService(
        "order-service", "v2.1.0", given.folder / "order.logs.jsonl", given.folder / "order.traces.jsonl"
    )
    service.route("POST", "/orders", Orders(service, given.payment).order)
    service.serve(given.port)


if __name__ == "__main__":
    main()
