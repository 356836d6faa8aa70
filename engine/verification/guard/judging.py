"""One claim against the records that carry it: derived, contradicted or not derivable."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from engine.check import ClaimVerification
from engine.claim import Claim
from engine.verification.guard.absence import absence_finding
from engine.verification.guard.clauses import Clause, read_clauses
from engine.verification.guard.entities import QUOTED
from engine.verification.guard.numbers import number_finding, sign_of
from engine.verification.guard.order import GuardVerdict, lower_of
from engine.verification.guard.records import GuardEvidence, GuardScope, Record, read_record
from engine.verification.guard.residue import unexplained
from engine.verification.guard.times import carried, read_times
from engine.verification.guard.words import ALL, ANY_CONCEPT, CAUSES, CONCEPTS, NEGATED_AFTER, NEGATED_BEFORE
from engine.verification.quantities import fold

__all__ = ["judge"]

_LEVEL_OF_LOGS = re.compile(r"\b(debug|info|warn|error|fatal)\s*(?:级别)?(?:的)?日志")
_TIMES_AND_DAYS = re.compile(r"\d{1,4}(?:[-:/.]\d{1,2})+|\d{1,2}月\d{1,2}[日号]|\d{1,2}[点时]\d{0,2}分?")


@dataclass
class _Tally:
    """What one claim's judging has found; lives for one call."""

    ceiling: ClaimVerification = "direct_observation"
    reasons: list[str] = field(default_factory=list[str])
    supporting: set[int] = field(default_factory=set[int])

    def object_to(self, ceiling: ClaimVerification, reason: str) -> None:
        self.ceiling = lower_of(self.ceiling, ceiling)
        if reason not in self.reasons:
            self.reasons.append(reason)


def judge(claim: Claim, evidence: Sequence[GuardEvidence], scope: GuardScope) -> GuardVerdict:
    """Settle how much of a claim its evidence carries.

    Args:
        claim: the claim as the Executor wrote it.
        evidence: its verified items; guidance among them carries nothing.
        scope: the run's zone, window and services.

    Returns:
        The outcome, the highest class that the claim may keep, and the reasons in Chinese. Total: no text raises.
    """
    records = [read_record(item) for item in evidence if not item.guidance]
    if not records:
        return GuardVerdict("not_derivable", "unsupported", ("没有本次故障的证据",))
    tally = _Tally()
    for clause in read_clauses(claim.claim_text, scope):
        _judge_clause(clause, records, scope, tally)
    _judge_whole(claim, records, tally)
    if tally.ceiling == "contradicted":
        return GuardVerdict("contradicted", "contradicted", tuple(tally.reasons))
    outcome = "derived" if tally.ceiling == "direct_observation" else "not_derivable"
    return GuardVerdict(outcome, tally.ceiling, tuple(tally.reasons))


def _judge_clause(clause: Clause, records: Sequence[Record], scope: GuardScope, tally: _Tally) -> None:
    home = _home(clause, records, tally)
    if not home:
        return
    positions = {id(record): position for position, record in enumerate(records)}
    _judge_entities(clause, home, records, positions, tally)
    _judge_relation(clause, home, tally)
    _judge_sides(clause, home, tally)
    _judge_times(clause, home, scope, tally)
    topical = _topical(clause, home, tally)
    _judge_numbers(clause, topical, positions, tally)
    if clause.direction:
        _judge_direction(clause, topical, tally)
    if clause.absence:
        _judge_absence(clause, home, scope, positions, tally)
    elif any(_quoted_out_of_a_negation(record) for record in home):
        tally.object_to("contradicted", "摘录在原文里是被否定的")
    _judge_words(clause, home, scope, tally)


def _judge_relation(clause: Clause, home: Sequence[Record], tally: _Tally) -> None:
    """Who calls whom must be as a record says it, not the other way round."""
    for first in clause.services:
        for second in clause.services:
            said = re.search(rf"{re.escape(first)}\s*(?:调用|依赖|请求|->|→|calls)\s*{re.escape(second)}", clause.text)
            if first == second or not said:
                continue
            shown = {record.relation for record in home if record.relation}
            if (second, first) in shown and (first, second) not in shown:
                tally.object_to("contradicted", "调用方向与证据相反")
            elif (first, second) not in shown:
                tally.object_to("unsupported", "证据没有写明这一调用关系")


def _topical(clause: Clause, home: Sequence[Record], tally: _Tally) -> list[Record]:
    """The records that show what the clause speaks of: a number of another thing's record carries nothing."""
    asked = (
        [held for claimed, held in CONCEPTS if claimed.search(clause.text)] if ANY_CONCEPT.search(clause.text) else []
    )
    shown = [[record.speaks_of(held) for held in asked] for record in home]
    if not all(any(column) for column in zip(*shown, strict=True)):
        tally.object_to("unsupported", "证据说的不是这个指标或对象")
    whole = [record for record, row in zip(home, shown, strict=True) if all(row)]
    return whole or list(home)


def _judge_numbers(clause: Clause, home: Sequence[Record], positions: dict[int, int], tally: _Tally) -> None:
    for index in range(len(clause.quantities)):
        finding, holding = number_finding(clause, index, home)
        tally.supporting |= {positions[id(home[position])] for position in holding}
        if finding == "refuted":
            tally.object_to("contradicted", "数值与证据中的比较关系相反")
        elif finding == "missing":
            tally.object_to("unsupported", "证据中没有判断里的数值")


def _judge_absence(
    clause: Clause, home: Sequence[Record], scope: GuardScope, positions: dict[int, int], tally: _Tally
) -> None:
    finding, reason = absence_finding(clause, home, scope)
    if finding == "refuted":
        tally.object_to("contradicted", reason)
    elif finding == "missing":
        tally.object_to("unsupported", reason)
    else:
        tally.supporting |= {positions[id(record)] for record in home}


def _home(clause: Clause, records: Sequence[Record], tally: _Tally) -> list[Record]:
    """The records that the clause's services stand in."""
    if not clause.services:
        return list(records)
    whole = [record for record in records if all(record.holds(name) for name in clause.services)]
    if whole:
        return whole
    some = [record for record in records if any(record.holds(name) for name in clause.services)]
    missing = [name for name in clause.services if not any(record.holds(name) for record in records)]
    if missing:
        tally.object_to("external_unknown", "证据中没有判断所说的服务")
    return some


def _judge_entities(
    clause: Clause,
    home: Sequence[Record],
    records: Sequence[Record],
    positions: dict[int, int],
    tally: _Tally,
) -> None:
    for entity in clause.entities:
        name = " ".join(entity.name.split())
        found = [record for record in home if _has(record, name, quoted=entity.quoted)]
        if found:
            tally.supporting |= {positions[id(record)] for record in found}
        elif any(_has(record, name, quoted=entity.quoted) for record in records):
            tally.object_to("unsupported", "名称与服务不在同一条证据里")
        else:
            tally.object_to("external_unknown", "证据中没有判断所说的名称")


def _has(record: Record, name: str, *, quoted: bool) -> bool:
    if quoted:
        return any(name in " ".join(text.split()) for text in (record.text, record.context))
    return record.holds(name)


def _judge_direction(clause: Clause, home: Sequence[Record], tally: _Tally) -> None:
    signs = [sign for sign in (sign_of(record) for record in home) if sign is not None]
    said = any(
        re.search(r"increas|rising|rose|上升|升高|增加|decreas|drop|下降|降低|恢复|recover", record.text)
        for record in home
    )
    if not signs:
        if not said:
            tally.object_to("overstated", "只有一个时间点的数值，看不出变化方向")
        return
    agrees = clause.direction in signs
    if clause.denied:
        if agrees and all(sign == clause.direction for sign in signs):
            tally.object_to("contradicted", "变化方向与证据相反")
        return
    if not agrees:
        ceiling: ClaimVerification = "contradicted" if -clause.direction in signs else "overstated"
        tally.object_to(ceiling, "变化方向与证据不符")


def _quoted_out_of_a_negation(record: Record) -> bool:
    whole, text = record.source.context, record.source.text
    at = whole.find(text)
    if whole == text or at < 0:
        return False
    before, behind = fold(whole[max(0, at - 40) : at]), fold(whole[at + len(text) : at + len(text) + 40])
    return bool(NEGATED_BEFORE.search(before) or NEGATED_AFTER.match(behind))


def _judge_words(clause: Clause, home: Sequence[Record], scope: GuardScope, tally: _Tally) -> None:
    """Every word of the clause must be accounted for, because a right number carries no other word."""
    signs = [sign for sign in (sign_of(record) for record in home) if sign is not None]
    text = _TIMES_AND_DAYS.sub(lambda match: " " * len(match.group()), clause.text)
    for alias in sorted(scope.aliases, key=len, reverse=True):
        text = text.replace(fold(alias), " " * len(fold(alias)))
    left = unexplained(replace(clause, text=text), home, signs[0] if signs else None)
    if left:
        tally.object_to("reasonable_inference", "证据没有直接写出这句话里的全部内容，只能推断")


def _judge_times(clause: Clause, home: Sequence[Record], scope: GuardScope, tally: _Tally) -> None:
    times = read_times(clause.text)
    if not times:
        return
    # because a time says when one thing was: it must stand where that thing stands
    named = [
        record for record in home if all(_has(record, entity.name, quoted=entity.quoted) for entity in clause.entities)
    ]
    texts = [text for record in named or home for text in {record.text, record.context}]
    windows = [window for window in (scope.window, *(record.source.scope.window for record in home)) if window]
    for claimed in times:
        if not carried(claimed, texts, windows, scope.timezone):
            tally.object_to("unsupported", "证据中没有判断所说的时间")


def _judge_sides(clause: Clause, home: Sequence[Record], tally: _Tally) -> None:
    """A log level must be the record's, and a comparison of two services is more than either record says."""
    level = _LEVEL_OF_LOGS.search(clause.text)
    levels = {record.pairs["level"].lower() for record in home if record.pairs.get("level")}
    if level and levels and level.group(1) not in levels:
        tally.object_to("unsupported", "证据中的日志级别不是判断所说的")
    if any(re.search(rf"比\s*{re.escape(name)}", clause.text) for name in clause.services):
        tally.object_to("reasonable_inference", "两个服务的比较只能推断")


def _judge_whole(claim: Claim, records: Sequence[Record], tally: _Tally) -> None:
    text = QUOTED.sub("□", fold(claim.claim_text))
    if CAUSES.search(text) and not any(CAUSES.search(record.text) for record in records):
        tally.object_to("reasonable_inference", "证据没有直接写明因果，只能推断")
    if ALL.search(text) and not any(ALL.search(record.text) for record in records):
        tally.object_to("overstated", "“所有/唯一”之类的说法超出证据")
    if claim.claim_type == "root_cause":
        tools = {records[position].source.tool_name for position in tally.supporting}
        if len(tools) < 2:
            tally.object_to("reasonable_inference", "根因需要至少两种不同来源的证据")
