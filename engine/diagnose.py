"""The use case: from a question to a recorded, checked answer."""

from datetime import datetime, timedelta

from engine.audit import verifier_evaluation
from engine.evaluation import EvaluationService
from engine.pipeline import walk
from engine.ports import Deps
from engine.question import Question
from engine.record import RunRecord
from engine.run import Run
from engine.window import TimeFrame, TimeWindow
from engine.window_text import read_window

__all__ = ["diagnose", "frame_window", "open_run"]

_SHORTEST = 60.0
"""A window read from the text that leaves less than this of a recorded one is not taken, in seconds."""

_BASELINE_LEAST = timedelta(hours=1)


async def diagnose(question: Question, deps: Deps, frame: TimeFrame) -> RunRecord:
    """Answer one question and keep everything that the audit needs.

    Args:
        question: what was asked; its own `window` rules over times in its text.
        deps: the engine's ports.
        frame: what time means where the question does not say.

    Returns:
        The record as the store has it.

    Raises:
        StoreError: the database failed; whatever was kept before it can still be loaded.
    """
    run = open_run(question, deps, frame)
    await deps.store.begin(run)
    run = await walk(run, deps)
    await EvaluationService(deps.store).record(run)
    # because each merge writes the whole container again, the large channel comes last
    audit = verifier_evaluation(run, deps.model.prompts, deps.standby.prompts if deps.standby else None)
    await deps.store.merge_evaluation(run.run_id, "verifier_evaluation", audit)
    await deps.store.finish(run, run.elapsed(deps.clock.now()) * 1000)
    return await deps.store.load(run.run_id)


def open_run(question: Question, deps: Deps, frame: TimeFrame) -> Run:
    """A run with its ids, window and baseline settled by code, because models do no time arithmetic."""
    started = deps.clock.now()
    question = question.model_copy(update={"text": deps.redact(question.text)})
    window = frame_window(question, frame)
    baseline = frame.baseline or window.before(max(_BASELINE_LEAST, timedelta(seconds=3 * window.seconds)))
    return Run(
        run_id=deps.ids.run_id(started),
        session_id=question.session_id or deps.ids.session_id(started),
        question=question,
        window=window,
        baseline=baseline,
        budget=deps.budget,
        started_at=started,
        nonce=deps.ids.nonce(),
    )


def frame_window(question: Question, frame: TimeFrame) -> TimeWindow:
    """The stretch under investigation: given, else read from the text, else the frame's."""
    if question.window is not None:
        return question.window
    now: datetime = frame.now or question.asked_at
    asked = read_window(question.text, now, question.timezone)
    if asked is None:
        return frame.window or TimeWindow(start=now - timedelta(seconds=frame.default_seconds), end=now)
    if frame.window is None:
        return asked
    start, end = max(asked.start, frame.window.start), min(asked.end, frame.window.end)
    if (end - start).total_seconds() >= _SHORTEST:
        return TimeWindow(start=start, end=end)
    # because a recorded incident has nothing outside its window; a question about another time must say so
    return asked if end <= start else frame.window
