"""The frame around the pages: undo, language, plan."""

from __future__ import annotations

import pytest

from in_a_browser import expect
from tarnkappe.language import Text

pytestmark = pytest.mark.anyio


async def test_a_page_opens_in_english_and_german(visitor):
    await visitor.open("/open")
    await visitor.user.should_see("Open")
    visitor.user.find("Deutsch").click()
    await visitor.open("/open")
    await visitor.user.should_see("Öffnen")


async def test_two_visitors_have_sessions_of_their_own(visit):
    async with visit() as first, visit() as second:
        assert first.session is not second.session
        assert first.session.room != second.session.room
        first.session.draft.put(Text("x", "x"), "title", value="mine")
        assert second.session.draft.content == {}


def test_a_real_browser_shows_the_first_page(tab):
    tab.goto("/open")
    tab.get_by_role("heading", name="Open").wait_for()
    tab.get_by_role("button", name="Deutsch").click()
    tab.get_by_role("heading", name="Öffnen").wait_for()
    expect(tab.locator("html")).to_have_attribute("lang", "de")
