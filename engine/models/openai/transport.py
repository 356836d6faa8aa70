"""The HTTP client under the protocol: no redirects, no compression, and a bound on every body."""

from collections.abc import AsyncIterator

import httpx2

__all__ = ["MAX_BODY", "ResponseTooLarge", "bounded_client"]

MAX_BODY = 4_000_000
"""The longest body that is read, in bytes."""


class ResponseTooLarge(Exception):
    """The body is longer than is read, or packed so that its length cannot be known."""


class _BoundedStream(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, most: int) -> None:
        self._inner = inner
        self._most = most

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > self._most:
                raise ResponseTooLarge(f"the body is longer than {self._most} bytes")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedTransport(httpx2.AsyncBaseTransport):
    def __init__(self, inner: httpx2.AsyncBaseTransport, most: int) -> None:
        self._inner = inner
        self._most = most

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await self._inner.handle_async_request(request)
        packing = response.headers.get("content-encoding", "identity").strip().lower()
        if packing not in {"", "identity"}:
            # because a few packed bytes can unpack to more than memory holds, and we asked for none
            await response.aclose()
            raise ResponseTooLarge("the body is packed, although the request asked for a plain one")
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _BoundedStream(response.stream, self._most)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


def bounded_client(transport: httpx2.AsyncBaseTransport | None = None, *, most: int = MAX_BODY) -> httpx2.AsyncClient:
    """A client whose every response is bounded.

    Args:
        transport: what carries the requests; the network by default.
        most: the longest body, in bytes.
    """
    return httpx2.AsyncClient(
        transport=_BoundedTransport(transport or httpx2.AsyncHTTPTransport(), most),
        headers={"Accept-Encoding": "identity"},
        follow_redirects=False,
    )
