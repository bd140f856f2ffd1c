"""The columns with their roles: what is proposed and why, changed by a click."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from tarnkappe.language import Text, listed
from tarnkappe.plan.propose import ColumnProposal, Proposal
from tarnkappe.studio.draft import Content
from tarnkappe.studio.frame import Here
from tarnkappe.studio.paged import Paged
from tarnkappe.studio.roles import EXPLAINED, roles_by_column, set_roles, toggled
from tarnkappe.vocab import Role

_COLUMN = Text("Column", "Spalte")
_ROLE = Text("Role", "Rolle")
_WHY = Text("Why it is proposed", "Warum sie vorgeschlagen wird")
_PROPOSED = Text("{role}?", "{role}?")
_ACCEPT = Text("Take over the proposal for {name}", "Vorschlag für {name} übernehmen")
_CHANGE = Text("Role of {name}: {roles}. Change", "Rolle von {name}: {roles}. Ändern")
_OPEN = Text("not decided", "nicht entschieden")
_INSTEAD = Text("Proposed: {roles}.", "Vorgeschlagen: {roles}.")
_ARTICLE = Text("GDPR Art. {number}", "Art. {number} DSGVO")
_SET = Text("role of {name}", "Rolle von {name}")
_TAKE_ALL = Text("take over all proposals", "alle Vorschläge übernehmen")
_SINGLE = Text("one column only", "nur eine Spalte")


@dataclass(eq=False)
class RoleList:
    """The list; `changed` is called when a role was."""

    here: Here
    proposal: Proposal
    changed: Callable[[], Any] = lambda: None

    def draw(self) -> None:
        """Draw the list."""
        heads = ((_COLUMN, ""), (_ROLE, ""), (_WHY, "tk-why"))
        self.paged = Paged(self.here, heads, self.proposal.columns, self._row, "tk-roles")
        self.paged.draw()

    @property
    def roles(self) -> dict[str, tuple[Role, ...]]:
        """Column -> roles as they stand in the plan."""
        return roles_by_column(self.here.session.draft.get("data", default={}))

    @property
    def undecided(self) -> list[ColumnProposal]:
        """Columns without a role."""
        known = self.roles
        return [column for column in self.proposal.columns if column.name not in known]

    def take_all(self) -> None:
        """Give every column the roles, and every key the hierarchy, that are proposed, where nothing was decided."""
        undecided = self.undecided

        def change(content: Content) -> None:
            taken = {role for roles in self.roles.values() for role in roles if role.single}
            wanted = {c.name: [r for r in c.roles if r not in taken] or [Role.KEY] for c in undecided}
            set_roles(content, wanted)
            take_hierarchies(content, undecided)

        self.here.change(_TAKE_ALL, change)
        self._refresh()

    def _set(self, column: ColumnProposal, roles: tuple[Role, ...]) -> None:
        def change(content: Content) -> None:
            set_roles(content, {column.name: roles})
            if roles == column.roles:
                take_hierarchies(content, [column])

        self.here.change(_SET.filled(name=column.name), change)
        self._refresh()

    def _refresh(self) -> None:
        self.paged.rows.refresh()
        self.changed()

    def _row(self, column: ColumnProposal) -> None:
        roles = self.roles.get(column.name, ())
        with ui.element("td"):
            ui.label(column.name).classes("tk-column-name")
            if column.article:
                ui.label(self.here.say(_ARTICLE, number=column.article)).classes("tk-chip tk-article")
        with ui.element("td"), ui.row().classes("items-center gap-1 no-wrap"):
            self._chooser(column, roles)
            if not roles:
                accept = ui.button(icon="check", on_click=lambda: self._set(column, column.roles))
                accept.props("flat round dense size=sm").mark(f"accept-{column.name}")
                accept.props["aria-label"] = self.here.say(_ACCEPT, name=column.name)
                accept.tooltip(self.here.say(_ACCEPT, name=column.name))
        with ui.element("td").classes("tk-why tk-soft tk-small"):
            said = self.here.say(column.why)
            if roles and set(roles) != set(column.roles):
                said = f"{self.here.say(_INSTEAD, roles=self._spelt(column.roles))} {said}"
            ui.label(said)

    def _spelt(self, roles: tuple[Role, ...]) -> str:
        return listed([self.here.say(role.text) for role in roles])

    def _chooser(self, column: ColumnProposal, roles: tuple[Role, ...]) -> None:
        here = self.here
        text = self._spelt(roles) if roles else here.say(_PROPOSED, role=self._spelt(column.roles))
        button = ui.button(text, color=None).props("flat dense no-caps icon-right=expand_more")
        button.props["aria-label"] = here.say(
            _CHANGE, name=column.name, roles=self._spelt(roles) or here.say(_OPEN)
        )
        button.classes("tk-role" if roles else "tk-role tk-proposed").mark(f"role-{column.name}")

        def choose() -> None:
            with button, ui.menu().classes("tk-role-menu").props("max-height=26rem") as menu:
                for role in Role:
                    self._choice(column, role, menu)
            menu.on("hide", menu.delete)
            menu.open()

        button.on_click(choose)

    def _choice(self, column: ColumnProposal, role: Role, menu: ui.menu) -> None:
        here = self.here
        roles = self.roles.get(column.name, ())

        def pick() -> None:
            menu.close()
            self._set(column, toggled(roles, role))

        with ui.item(on_click=pick).props("role=menuitemcheckbox").mark(f"pick-{role.value}") as item:
            item.props(f"aria-checked={'true' if role in roles else 'false'}")
            with ui.item_section().props("avatar").classes("tk-tick"):
                ui.icon("check" if role in roles else "", size="1.1rem")
            with ui.item_section():
                one = f" · {here.say(_SINGLE)}" if role.single else ""
                ui.item_label(here.say(role.text) + one)
                ui.item_label(here.say(EXPLAINED[role])).props("caption")


def take_hierarchies(content: Content, columns: list[ColumnProposal]) -> None:
    """Put the proposed hierarchies of columns into a plan that has none for them."""
    found = {c.name: dict(c.hierarchy) for c in columns if c.hierarchy}
    if found:
        content["data"]["hierarchies"] = {**found, **content["data"].get("hierarchies", {})}
