"""Errors of look-ups that have no price."""

from __future__ import annotations

from datetime import date


class PriceNotFound(LookupError):
    """The book has no such price.

    asked: what was looked up. nearest: similar things that the book has, best first. as_of: the book's date.
    """

    def __init__(self, asked: str, nearest: tuple[str, ...], as_of: date) -> None:
        self.asked, self.nearest, self.as_of = asked, nearest, as_of
        near = "; nearest: " + ", ".join(nearest) if nearest else "; nothing similar either"
        super().__init__(f"no price for {asked} in the book of {as_of}{near}")


class NotOffered(PriceNotFound):
    """AWS does not sell it there: the source lists everything sold, and this is not in it.

    observed: day of the list.
    """

    def __init__(self, asked: str, nearest: tuple[str, ...], as_of: date, because: str, observed: str) -> None:
        super().__init__(asked, nearest, as_of)
        self.because, self.observed = because, observed
        self.args = (f"AWS does not offer {asked}: {because}",)

    @property
    def in_a_sentence(self) -> str:
        """`AWS does not offer p5.48xlarge ri-1y-... in us-east-1 (list of 2025-11-30)`."""
        return f"AWS does not offer {self.asked} (list of {self.observed})"
