"""References against what was verified (spec S05, S36; reading.md 9)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.check import ClaimCheck, ClaimEvidenceRef
from engine.gate import VerifiedEvidence
from engine.verification.refs import clean_refs


def item(claim_id: str, invocation: str, tool: str, path: str) -> VerifiedEvidence:
    """One verified item."""
    return VerifiedEvidence(
        claim_id=claim_id, source_invocation_id=invocation, tool_name=tool, raw_path=path, matched_text="x"
    )


EVIDENCE = (
    item("c1", "inv-1", "query_metrics", "/series/0"),
    item("c1", "inv-2", "query_logs", "/groups/0"),
    item("c1", "inv-3", "query_logs", "/groups/0"),
    item("c2", "inv-4", "query_traces", "/edges/0"),
)


def kept(ref: ClaimEvidenceRef) -> bool:
    """Whether the reference of a check of c1 is kept; what is left without one is lowered."""
    check = ClaimCheck(claim_id="c1", verification="direct_observation", evidence_refs=(ref,))
    (found,), warnings = clean_refs((check,), EVIDENCE)
    assert (found.verification == "direct_observation") == bool(found.evidence_refs) == (not warnings)
    return bool(found.evidence_refs)


@pytest.mark.spec("S36")
@pytest.mark.parametrize(
    "ref",
    [
        {"claim_id": "c1"},
        {"tool_name": "query_logs"},
        {"raw_path": "/series/0"},
        {"source_invocation_ids": ("inv-1",)},
        {"source_invocation_ids": ("inv-2", "inv-3"), "tool_name": "query_logs", "raw_path": "/groups/0"},
        {"source_invocation_ids": ("inv-1", "inv-2")},
        {"claim_id": "c1", "source_invocation_ids": ("inv-1",), "tool_name": "query_metrics", "raw_path": "/series/0"},
    ],
)
def test_a_reference_to_verified_evidence_stays(ref: dict[str, object]) -> None:
    """Any of claim, invocation, tool and path names an item, and several do where they name the same one."""
    assert kept(ClaimEvidenceRef.model_validate(ref))


@pytest.mark.spec("S05", "S36")
@pytest.mark.parametrize(
    "ref",
    [
        {},
        {"trace_ref": "t-1", "note": "seen"},
        {"claim_id": "c2"},
        {"source_invocation_ids": ("inv-4",)},
        {"source_invocation_ids": ("inv-1", "inv-9")},
        {"source_invocation_ids": ("inv-1", "inv-4")},
        {"source_invocation_ids": ("inv-1",), "tool_name": "query_logs"},
        {"source_invocation_ids": ("inv-1", "inv-2"), "tool_name": "query_logs"},
        {"tool_name": "query_metrics", "raw_path": "/groups/0"},
        {"raw_path": ""},
        {"raw_path": "/edges/0"},
    ],
)
def test_a_reference_to_anything_else_goes(ref: dict[str, object]) -> None:
    """Nothing, another claim's evidence, parts of different items, or one made-up id among good ones is dropped."""
    assert not kept(ClaimEvidenceRef.model_validate(ref))


parts = st.fixed_dictionaries(
    {
        "claim_id": st.sampled_from([None, "c1", "c2"]),
        "tool_name": st.sampled_from([None, "query_metrics", "query_logs", "query_traces"]),
        "raw_path": st.sampled_from([None, "", "/series/0", "/groups/0"]),
        "source_invocation_ids": st.lists(st.sampled_from(["inv-1", "inv-2", "inv-3", "inv-4", "inv-9"]), max_size=2),
    }
)


@given(parts)
def test_what_stays_names_only_verified_evidence_of_its_claim(given_parts: dict[str, object]) -> None:
    """For a kept reference each given id stands with each other given part in one verified item of the claim."""
    ref = ClaimEvidenceRef.model_validate(given_parts)
    if not kept(ref):
        return
    own = [item for item in EVIDENCE if item.claim_id == "c1"]
    for invocation in ref.source_invocation_ids or (None,):
        assert any(
            (invocation is None or invocation == one.source_invocation_id)
            and ref.claim_id in (None, "c1")
            and ref.tool_name in (None, one.tool_name)
            and ref.raw_path in (None, one.raw_path)
            for one in own
        )


def test_other_classes_keep_their_class_without_references() -> None:
    """Only a direct observation needs a reference; nothing is ever raised."""
    checks = tuple(
        ClaimCheck(claim_id="c1", verification=verification, evidence_refs=(ClaimEvidenceRef(raw_path="/no"),))
        for verification in ("reasonable_inference", "overstated", "unsupported", "external_unknown", "contradicted")
    )
    found, warnings = clean_refs(checks, EVIDENCE)
    assert [item.verification for item in found] == [item.verification for item in checks]
    assert all(not item.evidence_refs for item in found)
    assert len(warnings) == len(checks)
