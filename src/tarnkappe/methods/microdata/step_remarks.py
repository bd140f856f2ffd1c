"""What the office should know of a step that was done: sentences with names, counts and shares, never a value of a record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tarnkappe.data.column import Column, Floats, Ints
from tarnkappe.data.contributors import several_records
from tarnkappe.data.microdata import Microdata
from tarnkappe.data.substitutes import recoverable
from tarnkappe.kernels.classes import classes
from tarnkappe.kernels.ranks import mid_ranks
from tarnkappe.language import Text, listed
from tarnkappe.vocab import Role

LOOKED_AT = 20_000
"""Relations are judged on so many records, evenly spread over the file."""
HARDLY = 0.3
"""Below this mean absolute correlation columns have little in common (Gottschalk G-M20)."""
UNRELATED = 0.1
FEW_KEYS, MANY_KEYS, MANY_NOISY = 4, 7, 6
FEW_RECORDS = 5
FEW_TWINS = 3
HIDDEN = 0.5
"""Above this share of changes that are not seen, classes are too wide for a panel."""
LARGE = 0.2
"""A record with more than this share of a total stands out."""


def hardly_correlated(data: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """Columns that are averaged together though they have little in common (Gottschalk 4.3, microaggregation)."""
    if len(names) < 2 or (r := _rank_correlations(data, names)) is None:
        return
    apart = np.abs(r[~np.eye(len(r), dtype=np.bool_)])
    if apart.mean() < HARDLY:
        yield Text(
            "These columns are hardly correlated: {names}. Groups that are alike in all of them are rare, so averages change much.",
            "Diese Spalten sind kaum korreliert: {names}. Gruppen, die sich in allen gleichen, sind selten; Mittelwerte ändern darum viel.",
        ).filled(names=listed(tuple(names)))


def alike_together(after: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """How many records agree on all columns where each was averaged by itself (DAV 3.3.4: no k-anonymity of the combination; the k there is)."""
    shown = np.logical_and.reduce([after.column(n).observed for n in names])
    if len(names) < 2 or not shown.any():
        return
    sizes = classes([after.column(n).take(shown).codes() for n in names]).sizes
    yield Text(
        "Each column was averaged by itself. Taken together, {names} are shared by {least} records at least; {alone} records share them with nobody.",
        "Jede Spalte wurde für sich gemittelt. Zusammengenommen teilen sich mindestens {least} Datensätze {names}; {alone} Datensätze teilen sie mit keinem.",
    ).filled(names=listed(tuple(names)), least=int(sizes.min()), alone=int(np.count_nonzero(sizes == 1)))


def unrelated(data: Microdata, names: Sequence[str], given: Sequence[str]) -> Iterator[Text]:
    """Columns that no given one has to do with: they are put in random order (data shuffling)."""
    if not names or not given or (r := _rank_correlations(data, (*names, *given))) is None:
        return
    weak = np.abs(r[: len(names), len(names) :]).max(axis=1) < UNRELATED
    if weak.any():
        yield Text(
            "No given column has much to do with {names}: the values were put in nearly random order.",
            "Keine gegebene Spalte hat viel mit {names} zu tun: die Werte stehen nun in fast zufälliger Reihenfolge.",
        ).filled(names=listed([n for n, w in zip(names, weak, strict=True) if w]))


def many_noisy(names: Sequence[str]) -> Iterator[Text]:
    """More numeric columns than noise can hide (Gottschalk 4.3: four to six; with more, a linkage test is asked for)."""
    if len(names) > FEW_KEYS:
        yield Text(
            "{count} columns got noise. Whoever knows more than four to six of them for a record finds it in spite of small noise.",
            "{count} Spalten wurden überlagert. Wer mehr als vier bis sechs davon zu einem Datensatz kennt, findet ihn trotz kleiner "
            "Überlagerung.",
        ).filled(count=len(names))
    if len(names) > MANY_NOISY:
        yield Text(
            "So many columns make nearly every record recognisable. Do not release them before an attacker has tried: measure risk.linkage with "
            "these columns as keys, and raise the noise until it finds nobody.",
            "So viele Spalten machen fast jeden Datensatz erkennbar. Geben Sie sie nicht heraus, bevor ein Angreifer es versucht hat: messen Sie "
            "risk.linkage mit diesen Spalten als Schlüsseln, und erhöhen Sie die Überlagerung, bis er niemanden findet.",
        )


def many_keys(names: Sequence[str]) -> Iterator[Text]:
    """Keys so many that nearly every combination is rare."""
    if len(names) > MANY_KEYS:
        yield Text(
            "{count} keys are many: nearly every combination is rare, and coarsening before suppression would cost fewer cells.",
            "{count} Schlüssel sind viele: fast jede Kombination ist selten, und Vergröbern vor dem Unterdrücken würde weniger Zellen kosten.",
        ).filled(count=len(names))


def lone_cells(
    before: Microdata, after: Microdata, names: Sequence[str], within: Sequence[str] = ()
) -> Iterator[Text]:
    """Columns in which one suppressed cell stands alone: it points at its record (Höhne 2.1.2)."""
    was = before.aligned_to(after)
    groups = classes([after.column(w).codes() for w in within]).ids if within else np.zeros(len(after), int)
    alone = []
    for name in names:
        hidden = after.column(name).suppressed
        gaps = np.bincount(groups[hidden], minlength=1)
        if (gaps[groups[hidden & was.column(name).observed]] == 1).any():
            alone.append(name)
    if alone:
        yield Text(
            "A suppressed cell stands alone in {names}: a gap that is the only one points at its record.",
            "Eine unterdrückte Zelle steht allein in {names}: eine einzige Lücke weist auf ihren Datensatz.",
        ).filled(names=listed(alone))


def shown_elsewhere(before: Microdata, after: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """Columns of a panel in which suppressed cells are read off another record of the unit that shows the same value."""
    unit, was = unit_of_panel(before), before.aligned_to(after)
    if unit is None:
        return
    codes, count = was.column(unit).codes()
    for name in (n for n in names if n != unit):
        hidden = after.column(name).suppressed & (codes >= 0)
        alike = classes([(codes, count), was.column(name).true_codes()]).ids
        shown = np.bincount(alike[after.column(name).observed], minlength=int(alike.max(initial=0)) + 1) > 0
        if read_off := int(np.count_nonzero(shown[alike[hidden]])):
            yield Text(
                "{count} suppressed cells of {name} are read off another period of their unit, which shows the same value.",
                "{count} unterdrückte Zellen von {name} lassen sich in einer anderen Periode ihrer Einheit ablesen, die denselben Wert zeigt.",
            ).filled(count=read_off, name=name)


def rare_shown(
    before: Microdata, after: Microdata, names: Sequence[str], within: Sequence[str], k: int
) -> Iterator[Text]:
    """Records that are shown whole though fewer than k share their keys: others only could be meant."""
    was = before.aligned_to(after)
    found = classes([was.column(n).codes() for n in (*names, *within)])
    whole = np.logical_and.reduce([after.column(n).observed for n in names])
    if count := int(np.count_nonzero(whole & (found.sizes[found.ids] < k))):
        yield Text(
            "{count} records are shown whole though fewer than {k} have their combination of keys. mode: least makes sure only that others "
            "could be meant; mode: strict shows no such record.",
            "{count} Datensätze werden ganz gezeigt, obwohl weniger als {k} ihre Kombination der Schlüssel haben. mode: least sorgt nur dafür, "
            "dass auch andere gemeint sein könnten; mode: strict zeigt keinen solchen Datensatz.",
        ).filled(count=count, k=k)


def thin_cells(after: Microdata, within: Sequence[str]) -> Iterator[Text]:
    """Strata that are left with few records (Gottschalk 4.2: distortions in thinly filled cells)."""
    if within and len(after):
        sizes = classes([after.column(n).codes() for n in within]).sizes
        if thin := int(np.count_nonzero(sizes < FEW_RECORDS)):
            yield Text(
                "{count} strata are left with fewer than {few} records: results for them are distorted.",
                "{count} Schichten haben weniger als {few} Datensätze behalten: Ergebnisse für sie sind verzerrt.",
            ).filled(count=thin, few=FEW_RECORDS)


def twins(before: Microdata, after: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """How many records have a twin in the keys, where keys were grouped (Gottschalk 4.1)."""
    keys = [n for n in before.role(Role.KEY) if n in after.names]
    if set(names) & set(keys):
        counts = [_with_twins(data, keys) for data in (before.aligned_to(after), after)]
        yield Text(
            "Records that have a twin in all keys: {was} before, {now} after this step.",
            "Datensätze, die in allen Schlüsseln einen Zwilling haben: {was} vor, {now} nach diesem Schritt.",
        ).filled(was=counts[0], now=counts[1])


def rare_combinations(before: Microdata, after: Microdata) -> Iterator[Text]:
    """How many combinations of keys one or two records have, where keys were dropped: the effect of that (Höhne 2.1.1)."""
    was, now = before.role(Role.KEY), after.role(Role.KEY)
    if len(now) < len(was):
        counts = [_rare(data, keys) for data, keys in ((before, was), (after, now))]
        yield Text(
            "Combinations of keys that only one or two records have: {was} before, {now} after this step.",
            "Schlüsselkombinationen, die nur ein oder zwei Datensätze haben: {was} vor, {now} nach diesem Schritt.",
        ).filled(was=counts[0], now=counts[1])


def _rare(data: Microdata, keys: Sequence[str]) -> int:
    sizes = classes([data.column(n).codes() for n in keys]).sizes if keys else np.array([len(data)])
    return int(np.count_nonzero((sizes > 0) & (sizes < FEW_TWINS)))


def _with_twins(data: Microdata, keys: Sequence[str]) -> int:
    sizes = classes([data.column(n).codes() for n in keys]).sizes
    return int(sizes[sizes > 1].sum())


def hidden_changes(before: Microdata, after: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """Columns of a panel in which most changes from one period to the next stay within a class (Gottschalk 4.1)."""
    was = before.aligned_to(after)
    pairs = neighbouring_periods(was)
    for name in names:
        old, new = was.column(name), after.column(name)
        shown = old.observed[pairs].all(axis=0)
        a, b = pairs[:, shown]
        moved = old.values[a] != old.values[b]
        if (
            moved.any()
            and (share := float(np.mean((new.codes()[0][a] == new.codes()[0][b])[moved]))) > HIDDEN
        ):
            yield Text(
                "{share}% of the changes of {name} from one period to the next stay within a class and are no longer seen.",
                "{share} % der Änderungen von {name} von einer Periode zur nächsten bleiben in einer Klasse und sind nicht mehr zu sehen.",
            ).filled(share=round(100 * share), name=name)


def periods_counted_apart(data: Microdata, within: Sequence[str], unit: Sequence[str] = ()) -> Iterator[Text]:
    """A panel whose units are not known as contributors, or are not grouped as a whole.

    A mean of three periods of one firm is that firm's (Höhne 2.2.6, footnote 7); a series of means of ever other groups is its own.
    """
    period = data.role(Role.PERIOD)
    if unit or not period:
        return
    if not several_records(data) and not set(period) & set(within):
        yield Text(
            "Records of one unit in several periods count as several contributors, since no column with the role unit, owner or identifier tells the units: a group may be one unit "
            "alone. Give the unit that role, or name the period under within.",
            "Datensätze einer Einheit aus mehreren Perioden zählen als mehrere Beitragende, weil keine Spalte mit der Rolle unit, owner oder identifier die Einheiten nennt: eine Gruppe kann "
            "aus einer einzigen Einheit bestehen. Geben Sie der Einheit diese Rolle, oder nennen Sie die Periode unter within.",
        )
    if len(classes([data.column(period[0]).codes()]).sizes) > 1:
        yield Text(
            "Records were grouped one by one, not units: what a unit shows over the periods can be its own and give it away, where the release tells which "
            "records are one unit's. microdata.mdav, cluster-average, axis-average and random-average group whole series, with the unit named under unit.",
            "Gruppiert wurden einzelne Datensätze, nicht Einheiten: Was eine Einheit über die Perioden zeigt, kann nur ihr gehören und sie verraten, wo die "
            "Freigabe erkennen lässt, welche Datensätze zu einer Einheit gehören. microdata.mdav, cluster-average, axis-average und random-average gruppieren "
            "ganze Reihen, wenn unit die Einheit nennt.",
        )


def neighbouring_periods(data: Microdata) -> Ints:
    """(2, pairs): records of one unit in periods that follow each other; none where the file is no panel."""
    unit = unit_of_panel(data)
    if unit is None:
        return np.zeros((2, 0), dtype=np.int64)
    ids, period = data.column(unit).codes()[0], data.column(data.role(Role.PERIOD)[0]).codes()[0]
    order = np.lexsort((period, ids))
    order = order[(ids[order] >= 0) & (period[order] >= 0)]
    a, b = order[:-1], order[1:]
    follows = (ids[a] == ids[b]) & (period[a] != period[b])
    return np.stack([a[follows], b[follows]])


def unit_of_panel(data: Microdata) -> str | None:
    """The column that names the units of a panel; none where the file is no panel."""
    if not data.role(Role.PERIOD):
        return None
    roles = (Role.UNIT, Role.IDENTIFIER, Role.OWNER, Role.HOUSEHOLD)
    return next((name for role in roles for name in data.role(role)), None)


def left_out(before: Microdata, names: Sequence[str]) -> Iterator[Text]:
    """Columns without which models are biased (Gottschalk 4.2)."""
    told = [n for n in names if n not in before.role(Role.IDENTIFIER)]
    if told:
        yield Text(
            "Models that need {names} are biased without them: keep the list of dropped columns short.",
            "Modelle, die {names} brauchen, sind ohne sie verzerrt: halten Sie die Liste entfernter Spalten kurz.",
        ).filled(names=listed(told))


def still_computed(before: Microdata, after: Microdata) -> Iterator[Text]:
    """Dropped numbers that the columns which stay give back (Höhne 2.1.1)."""
    gone = [n for n in before.names if n not in after.names and before.column(n).kind.is_number]
    for name, how in recoverable(before, after, gone).items():
        yield Text(
            "{name} was dropped and can still be computed: it is {how}.",
            "{name} wurde entfernt und lässt sich doch errechnen: als {how}.",
        ).filled(name=name, how=how)


def also_to_drop(after: Microdata) -> Iterator[Text]:
    """Columns that stay and are very finely divided, or nearly all one record's (Gottschalk 4.2)."""
    if found := [name for name in after.names if _fine(after.column(name)) or _of_one(after.column(name))]:
        yield Text(
            "These columns stay though they are very finely divided or one record has a fifth of their total: {names}.",
            "Diese Spalten bleiben, obwohl sie sehr fein gegliedert sind oder ein Datensatz ein Fünftel ihrer Summe hat: {names}.",
        ).filled(names=listed(found))


def _fine(column: Column) -> bool:
    """More different categories than half the records."""
    codes = column.codes()[0]
    shown = codes[codes >= 0]
    return not column.kind.is_number and len(shown) >= FEW_RECORDS and 2 * len(np.unique(shown)) > len(shown)


def _of_one(column: Column) -> bool:
    """One value is more than a fifth of the total."""
    if not column.kind.is_number:
        return False
    x = np.abs(column.numbers())
    x = x[np.isfinite(x)]
    largest = float(x.max(initial=0.0))
    return len(x) >= FEW_RECORDS and largest > 0 and float((x / largest).sum()) < 1 / LARGE


def _rank_correlations(data: Microdata, names: Sequence[str]) -> Floats | None:
    """Spearman's, over records that show all the columns; None where fewer than three do or a column is no number."""
    if not all(data.column(n).kind.is_number for n in names):
        return None
    at = np.unique(np.linspace(0, max(len(data) - 1, 0), min(len(data), LOOKED_AT)).astype(np.int64))
    x = np.stack([data.column(n).take(at).numbers() for n in names])
    x = x[:, ~np.isnan(x).any(axis=0)]
    if x.shape[1] < 3:
        return None
    with np.errstate(invalid="ignore", divide="ignore"):
        out: Floats = np.nan_to_num(np.corrcoef(np.stack([mid_ranks(row) for row in x])))
    return out
