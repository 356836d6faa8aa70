"""One answer out of an endpoint: the tries it takes, within the request's time, and what they cost."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, cast

import httpx2
import openai

from engine.base import JsonObject
from engine.budget import Usage
from engine.errors import BadModelOutput, ModelError, ModelUnavailable
from engine.models.openai.answer import Answer, read_answer, read_body, read_usage
from engine.models.openai.failures import retry_after, translated
from engine.models.openai.messages import body
from engine.models.openai.repair import extracted
from engine.models.openai.seat import Seat
from engine.models.openai.shape import Refusals, Shape, lowered
from engine.models.openai.transport import ResponseTooLarge
from engine.ports import ModelRequest

__all__ = ["Exchange", "Sleep", "send"]

Sleep = Callable[[float], Awaitable[None]]

_MOST_TRIES = 5
"""Requests for one answer; a form that is refused is not counted."""

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
_MARGIN = 0.25
"""What is kept of the request's time so that a late failure is still told with its usage, in seconds."""


class Exchange:
    """The tries of one request; lives for one call of `complete`."""

    def __init__(self, client: openai.AsyncOpenAI, seat: Seat, refusals: Refusals, seconds: float, sleep: Sleep):
        self._client = client
        self._seat = seat
        self._refusals = refusals
        self._sleep = sleep
        self._until = asyncio.get_running_loop().time() + seconds - min(_MARGIN, seconds / 10)
        self.spent = Usage()

    @property
    def left(self) -> float:
        """Seconds of the request's time that are left."""
        return self._until - asyncio.get_running_loop().time()

    async def ask(self, request: ModelRequest, further: Sequence[JsonObject] = ()) -> Answer:
        """One answer, after as many tries as it takes and the time allows.

        The Verifier is asked once: its node makes the technical retry, with the same bytes (spec S35).

        Raises:
            ModelUnavailable: nobody answered.
            BadModelOutput: what came is no message.
        """
        tries = 1 if request.role == "verifier" else _MOST_TRIES
        for number in range(tries):
            try:
                return await self._try(request, further)
            except _TryAgainError as error:
                wait = min(_FIRST_WAIT * 2**number, _LONGEST_WAIT) if error.wait is None else error.wait
                if number + 1 == tries or wait >= self.left:
                    raise error.failure from error
                await self._sleep(wait)
        raise AssertionError("the loop returns or raises")

    async def _try(self, request: ModelRequest, further: Sequence[JsonObject]) -> Answer:
        """One try in the best form that the endpoint takes."""
        while True:
            shape = self._refusals.shape(self._seat)
            try:
                return await self._send(request, further, shape)
            except openai.APIStatusError as error:
                left = lowered(shape, self._seat, error.status_code, _said(error), tools=bool(request.tools))
                if left is None:
                    self._give_up(error)
                else:
                    self._refusals.remember(self._seat, shape, left)
            except (openai.APIError, httpx2.HTTPError) as error:
                self._give_up(error)

    async def _send(self, request: ModelRequest, further: Sequence[JsonObject], shape: Shape) -> Answer:
        self.spent += Usage(model_calls=1)
        sent = body(request, self._seat, shape, further)
        document = read_body(await send(self._client, self._seat, sent, self.left))
        usage = read_usage(document)
        price = self._seat.price
        self.spent += usage.model_copy(update={"cost": price.of(usage)}) if price else usage
        answer = read_answer(document)
        if answer.tool_calls and request.role != "executor":
            raise BadModelOutput("bad_tool_call", "the model called a tool where none was offered")
        if request.role == "verifier":
            # because the Verifier is held to one bare object (spec, Verifier output)
            return answer
        return Answer(extracted(answer.content, shape.mode), answer.reasoning, answer.tool_calls)

    def _give_up(self, error: openai.APIError | httpx2.HTTPError) -> None:
        failure = translated(error, self._seat)
        if isinstance(failure, ModelUnavailable) and failure.retryable:
            said = error.response.headers.get("retry-after", "") if isinstance(error, openai.APIStatusError) else ""
            raise _TryAgainError(failure, retry_after(said, datetime.now(UTC))) from error
        raise failure from error


async def send(client: openai.AsyncOpenAI, seat: Seat, sent: JsonObject, seconds: float) -> bytes:
    """Post one request; the body of a response that says it succeeded.

    Raises:
        openai.APIError: as the client raises it, for statuses and connections.
        ModelUnavailable: the time was over.
        BadModelOutput: the client choked on what came, or it is too long.
    """
    rest = {key: value for key, value in sent.items() if key != "messages"}
    try:
        async with asyncio.timeout(max(0.01, seconds)):
            response = await client.chat.completions.with_raw_response.create(
                model=seat.name, messages=cast("Any", sent["messages"]), extra_body=rest, timeout=max(0.01, seconds)
            )
            return response.content
    except TimeoutError as error:
        raise ModelUnavailable(f"{seat.host} did not answer within {seconds:.1f} s", retryable=True) from error
    except ResponseTooLarge as error:
        raise BadModelOutput("too_large", f"{seat.host}: {error}") from error
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError) as error:
        # because the client raises these, raw, over bodies and headers that it does not expect
        raise BadModelOutput("malformed", f"{seat.host} sent what is no reply ({type(error).__name__})") from error


class _TryAgainError(Exception):
    """Another try may help, after a wait in seconds where the server gave one."""

    def __init__(self, failure: ModelError, wait: float | None) -> None:
        super().__init__(str(failure))
        self.failure = failure
        self.wait = wait


def _said(error: openai.APIStatusError) -> str:
    return error.response.content[:4000].decode("utf-8", errors="replace")
