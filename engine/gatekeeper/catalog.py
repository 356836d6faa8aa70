"""The rule catalog: data only, versioned (spec S80-S83; reading.md 3)."""

from collections.abc import Collection, Mapping

from engine.contracts.executor_evidence import REMOVED_FIELDS
from engine.errors import ConfigError
from engine.gate import Rule, Severity
from engine.ports import RuleSet

__all__ = ["DEFAULT_RULES", "RULE_SET_VERSION", "with_rules"]

RULE_SET_VERSION = "gatekeeper_rules_v1"

DEFAULT_RULES = RuleSet(
    version=RULE_SET_VERSION,
    rules=(
        Rule(
            id="schema.executor_v2",
            description="No removed fields; every confirmed claim has at least one evidence binding",
            default_severity="low_confid",
            parameters={"removed_fields": list(REMOVED_FIELDS)},
        ),
        Rule(
            id="evidence.invocation_ref",
            description="The invocation exists in this run and its tool is the binding's",
            default_severity="reject",
        ),
        Rule(
            id="evidence.invocation_missing",
            description="The binding names one invocation, or exactly one is possible",
            default_severity="low_confid",
        ),
        Rule(
            id="evidence.raw_path_missing",
            description="The binding names a path within the invocation's output",
            default_severity="low_confid",
        ),
        Rule(
            id="evidence.refs_unavailable",
            description="The invocation has evidence references to point into",
            default_severity="low_confid",
        ),
        Rule(
            id="evidence.raw_path",
            description="The path is one of the invocation's evidence references",
            default_severity="reject",
        ),
        Rule(
            id="evidence.excerpt_mismatch",
            description="The excerpt stands in the text at that path",
            default_severity="reject",
            parameters={"min_excerpt_chars": 1, "max_excerpt_chars": 4000},
        ),
        Rule(
            id="evidence.guidance_only",
            description="A confirmed claim rests on more than guidance",
            default_severity="low_confid",
            parameters={"guidance_tools": ["lookup_knowledge"]},
        ),
    ),
)


def with_rules(
    disabled: Collection[str] = (),
    severities: Mapping[str, Severity] | None = None,
    rules: RuleSet = DEFAULT_RULES,
) -> RuleSet:
    """The catalog with some rules disabled or of another severity.

    Raises:
        ConfigError: an id is not in the catalog.
    """
    known = {rule.id for rule in rules.rules}
    for rule_id in (*disabled, *(severities or {})):
        if rule_id not in known:
            raise ConfigError(f"rules: {rule_id!r} is not in the catalog; known: {', '.join(sorted(known))}")
    changed = tuple(
        rule.model_copy(
            update={
                "enabled": rule.enabled and rule.id not in disabled,
                "default_severity": (severities or {}).get(rule.id, rule.default_severity),
            }
        )
        for rule in rules.rules
    )
    return RuleSet(version=rules.version, rules=changed)
