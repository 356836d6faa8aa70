"""What the reader is told of how an answer came about."""

from engine.run import Run

__all__ = ["notes_on"]

_NODES_ZH = {"planner": "规划", "executor": "取证", "verifier": "复核"}


def notes_on(run: Run) -> tuple[str, ...]:
    """One sentence where the standby finished the run; what the model did wrong stands in the audit alone."""
    if run.stand_in is None:
        return ()
    where = _NODES_ZH.get(run.stand_in.node, run.stand_in.node)
    return (f"注：模型在{where}时没有给出可用的结果，自此由内置分析器接手，结论仍逐条对照证据核对",)
