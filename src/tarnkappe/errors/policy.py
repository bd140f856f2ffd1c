"""Errors of the default policy: a policy that cannot be used, columns that need a role, tables that need a rule."""

from __future__ import annotations

from tarnkappe.errors import InputWrong, Refused
from tarnkappe.language import Text


class PolicyWrong(InputWrong):
    code = "policy.wrong"
    says = Text(
        "The policy {file!r} cannot be used: {problems}",
        "Die Richtlinie {file!r} ist nicht verwendbar: {problems}",
    )
    fix = Text(
        "Compare with the default policy: tarnkappe policy",
        "Vergleichen Sie mit der Standardrichtlinie: tarnkappe policy",
    )


class KeysNeeded(Refused):
    code = "policy.keys-needed"
    says = Text(
        "The release was refused: no column has the role {roles}, so nobody can say who could be found.",
        "Die Freigabe wurde verweigert: Keine Spalte hat die Rolle {roles}; wer gefunden werden könnte, ist also nicht zu sagen.",
    )
    fix = Text(
        "Nothing was written. Give the columns that others may know of people or firms this role under data: roles (`tarnkappe inspect` proposes "
        "roles), or accept it with a written reason (accept: what: keys, reason).",
        "Es wurde nichts geschrieben. Geben Sie den Spalten, die andere von Personen oder Firmen kennen können, unter data: roles diese Rolle "
        "(`tarnkappe inspect` schlägt Rollen vor), oder nehmen Sie es mit schriftlicher Begründung hin (accept: what: keys, reason).",
    )


class RolesNeeded(Refused):
    code = "policy.roles-needed"
    says = Text(
        "The release was refused: columns that look as if they needed protection have no role that says how.\n{columns}",
        "Die Freigabe wurde verweigert: Spalten, die schutzbedürftig aussehen, haben keine Rolle, die sagt, wie.\n{columns}",
    )
    fix = Text(
        "Nothing was written. Give each of them a role under data: roles (other, if nobody can be recognised by it: not enough for names of people and contacts), "
        "drop it, or accept it with a written reason (accept: what: roles, columns, reason). `tarnkappe inspect` proposes roles.",
        "Es wurde nichts geschrieben. Geben Sie jeder davon unter data: roles eine Rolle (other, wenn niemand daran zu erkennen ist: genügt nicht für Namen "
        "von Menschen und Kontaktdaten), lassen Sie sie weg oder nehmen Sie es mit schriftlicher Begründung hin (accept: what: roles, columns, reason). `tarnkappe inspect` schlägt "
        "Rollen vor.",
    )


class RuleNeeded(InputWrong):
    code = "policy.rule-needed"
    says = Text(
        "Nothing says which cells of table {name!r} need protection: no rule, no mark, and the method has none of its own.",
        "Nichts sagt, welche Zellen der Tabelle {name!r} Schutz brauchen: keine Regel, keine Markierung, und das Verfahren hat keine eigene.",
    )
    fix = Text(
        "Name a rule: under rules in a plan, on the command line --rule 'rule.minimum-frequency: {{n: 3}}' for counts or --rule 'rule.p-percent: "
        "{{p: 10}}' for amounts with their largest contributions (--count, --largest). If really no cell needs protection, write a plan with "
        "accept: what: rules, tables and a reason.",
        "Nennen Sie eine Regel: im Plan unter rules, auf der Befehlszeile --rule 'rule.minimum-frequency: {{n: 3}}' für Anzahlen oder --rule "
        "'rule.p-percent: {{p: 10}}' für Beträge mit ihren größten Beiträgen (--count, --largest). Braucht wirklich keine Zelle Schutz, "
        "schreiben Sie einen Plan mit accept: what: rules, tables und einer Begründung.",
    )
