"""Models behind the Chat Completions protocol, at the port."""

import asyncio
from collections.abc import Mapping
from typing import get_args

import httpx2
import openai

from engine.contracts.schemas import CONTRACT_SCHEMAS
from engine.errors import BadModelOutput, ModelError
from engine.models.openai.answer import Answer
from engine.models.openai.exchange import Exchange, Sleep
from engine.models.openai.messages import carried, correction
from engine.models.openai.repair import objection
from engine.models.openai.seat import Seat
from engine.models.openai.shape import Refusals
from engine.models.openai.transport import bounded_client
from engine.models.prompts import PROMPTS, system_message
from engine.ports import Contract, ModelReply, ModelRequest, PromptAudit, Role

__all__ = ["OpenAIModel", "connect"]

_REFUSALS = Refusals()
"""What endpoints refused in this process."""

_BYTES_PER_TOKEN = 2
"""Fewer than any tokenizer makes of UTF-8 on average, Chinese text and identifiers alike."""

_TOOLS_BYTES = 12_000
"""What the tools' descriptions may take; known only when a request brings them."""

_REPAIRABLE = frozenset({"blank", "bad_tool_call", "bad_tool_arguments"})
"""What is wrong with a message such that asking again may help."""

_CONTRACTS: Mapping[Role, Contract] = {
    "planner": "planner_plan_v1",
    "executor": "executor_evidence_v2",
    "verifier": "verifier_v2",
    "composer": "composer_v1",
}


class OpenAIModel:
    """The four roles, each played by a model at an endpoint.

    Args:
        seats: who plays each role.
        http_client: what carries the requests, closed with the model; one over the network by default. Its bodies
            must be bounded (`bounded_client`).
        refusals: what endpoints refused before; the process's own by default.
        sleep: waits between tries.
    """

    def __init__(
        self,
        seats: Mapping[Role, Seat],
        http_client: httpx2.AsyncClient | None = None,
        refusals: Refusals | None = None,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._seats = dict(seats)
        self._http = http_client or bounded_client()
        self._refusals = _REFUSALS if refusals is None else refusals
        self._sleep = sleep
        self._clients = {role: connect(seat, self._http) for role, seat in self._seats.items()}

    @property
    def name(self) -> str:
        """The model, and each role's own where it has another."""
        roles: tuple[Role, ...] = get_args(Role)
        names = [self._seats[role].name for role in roles]
        usual = max(names, key=names.count)
        other = [f"{role}: {name}" for role, name in zip(roles, names, strict=True) if name != usual]
        return f"{usual} ({', '.join(other)})" if other else usual

    @property
    def prompts(self) -> PromptAudit:
        """The prompt catalog, which is the same for every model."""
        return PROMPTS

    def room(self, role: Role) -> int | None:
        """What the context leaves when prompt, tools and output have their part."""
        seat = self._seats[role]
        prompt = len(system_message(role, "0" * 32).encode()) + len(str(CONTRACT_SCHEMAS[_CONTRACTS[role]]).encode())
        tokens = seat.context_tokens - seat.max_output_tokens
        return max(0, tokens * _BYTES_PER_TOKEN - prompt - _TOOLS_BYTES)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """See `Model`."""
        seat = self._seats[request.role]
        exchange = Exchange(self._clients[request.role], seat, self._refusals, request.timeout, self._sleep)
        try:
            answer = await self._answer(request, exchange)
        except ModelError as error:
            error.usage = exchange.spent
            raise
        return ModelReply(
            text="" if answer.tool_calls else answer.content,
            tool_calls=answer.tool_calls,
            usage=exchange.spent,
            carry=carried(answer) if answer.tool_calls else "",
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _answer(self, request: ModelRequest, exchange: Exchange) -> Answer:
        """The answer, or after one that cannot be read the one that the model gives instead."""
        try:
            first = await exchange.ask(request)
        except BadModelOutput as problem:
            if request.role == "verifier" or problem.reason not in _REPAIRABLE:
                raise
            return await exchange.ask(request, correction(request, "", problem))
        problem = None if first.tool_calls else objection(request.role, first.content)
        if problem is None:
            return first
        try:
            return await exchange.ask(request, correction(request, first.content, problem))
        except ModelError:
            # because the node must judge what was said; that no better came tells it nothing more
            return first


def connect(seat: Seat, http_client: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    """The protocol's client for an endpoint; it makes no tries of its own."""
    return openai.AsyncOpenAI(
        # because the client wants one even where the endpoint does not
        api_key=seat.key or "none",
        base_url=seat.base_url,
        max_retries=0,
        http_client=http_client,
    )
