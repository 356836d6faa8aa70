"""The run's persisted evidence, indexed for looking up bindings."""

from collections import Counter
from collections.abc import Sequence

from engine.claim import EvidenceBinding
from engine.gatekeeper.excerpt import PreparedText, prepare
from engine.invocation import ToolInvocation

__all__ = ["Evidence"]


class Evidence:
    """Invocations by id and their refs by path; texts are made ready when first asked for, and once."""

    def __init__(self, invocations: Sequence[ToolInvocation]) -> None:
        self._by_id = {invocation.id: invocation for invocation in invocations}
        self._per_tool = Counter(invocation.tool_name for invocation in invocations)
        self._only = {invocation.tool_name: invocation.id for invocation in invocations}
        self._texts: dict[str, dict[str, str]] = {}
        self._prepared: dict[tuple[str, str], PreparedText] = {}

    def find(self, invocation_id: str) -> ToolInvocation | None:
        """The invocation of that id, if this run made it."""
        return self._by_id.get(invocation_id)

    def knows_all(self, binding: EvidenceBinding) -> bool:
        """Whether every id that the binding names, also in the legacy plural form, is this run's (spec S55)."""
        named = (binding.source_invocation_id, *binding.source_invocation_ids)
        return all(name is None or name in self._by_id for name in named)

    def identify(self, binding: EvidenceBinding) -> tuple[str | None, bool]:
        """Which invocation the binding means, and whether it had to be filled in (spec S66, S77).

        Legacy plural ids that are there keep it from being filled in: several of them say that it is unclear
        which one is meant.
        """
        if binding.source_invocation_id is not None:
            return binding.source_invocation_id, False
        if len(binding.source_invocation_ids) == 1:
            return binding.source_invocation_ids[0], False
        if not binding.source_invocation_ids and self._per_tool[binding.tool_name] == 1:
            return self._only[binding.tool_name], True
        return None, False

    def text(self, invocation: ToolInvocation, raw_path: str) -> str | None:
        """The text of the invocation's ref at that path."""
        texts = self._texts.get(invocation.id)
        if texts is None:
            texts = {ref.raw_path: ref.text for ref in invocation.evidence_refs}
            self._texts[invocation.id] = texts
        return texts.get(raw_path)

    def prepared(self, invocation: ToolInvocation, raw_path: str) -> PreparedText:
        """The same, ready for searching; the path must be there."""
        key = (invocation.id, raw_path)
        found = self._prepared.get(key)
        if found is None:
            found = prepare(self.text(invocation, raw_path) or "")
            self._prepared[key] = found
        return found
