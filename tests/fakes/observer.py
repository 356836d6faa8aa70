"""An observer that remembers."""

from engine.ports import Progress


class RecordingObserver:
    """Keeps every progress it is told, in order."""

    def __init__(self) -> None:
        self.seen: list[Progress] = []

    def notice(self, progress: Progress) -> None:
        self.seen.append(progress)

    def nodes(self) -> list[str]:
        """The nodes that began, in order."""
        return [item.node for item in self.seen if item.kind == "node_started"]
