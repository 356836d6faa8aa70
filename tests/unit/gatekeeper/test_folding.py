"""Folding and its way back (reading.md 5)."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engine.gatekeeper.folding import fold, folded_text

texts = st.text(max_size=80) | st.text(alphabet="aÉe\u0301 \t\n½…，9\u200b\u0336ﬁ가가支Ａ", max_size=40)


@given(texts)
def test_every_folded_stretch_leads_back_to_what_folds_to_it(text: str) -> None:
    """The span of the whole folded form holds all that is no white space, and each character's span is a stretch."""
    folded = fold(text)
    if folded.text.strip():
        start, end = folded.span(0, len(folded.text))
        assert "".join(text[:start].split()) == ""
        assert fold(text[start:end]).text == folded.text
    for index in range(len(folded.text)):
        start, end = folded.span(index, index + 1)
        assert 0 <= start < end <= len(text)
        assert folded.text[index] in fold(text[start:end]).text or folded.text[index] == " "


@given(
    st.text(alphabet=st.characters(max_codepoint=0x24F) | st.sampled_from("支付，。：ﬁ\u3000\u0301\u0336"), max_size=60)
)
def test_folding_by_pieces_is_folding_the_whole(text: str) -> None:
    """Piece by piece or at once, the folded form is NFKC with case and white space folded."""
    whole = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    assert folded_text(text) == whole
    assert fold(text).text.strip() == whole


def test_a_mark_stays_with_its_letter() -> None:
    """A letter and its combining mark are one place: the span takes both, and a cut between them splits."""
    folded = fold("cafe\u0301 x")
    assert folded.text == "café x"
    assert folded.span(3, 4) == (3, 5)
    assert fold("½").splits(1)
    assert not fold("ab").splits(1)
