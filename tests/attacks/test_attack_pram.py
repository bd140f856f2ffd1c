"""Attackers against post-randomised categories. They know the matrix, the frequencies and the release; not who changed."""

from __future__ import annotations

import numpy as np
import pytest

from tarnkappe.data.column import Column
from tarnkappe.data.microdata import Microdata
from tarnkappe.errors.exchange import CompanionOpen, GapsTell
from tarnkappe.kernels.transition import direct, even, proportional, two_stage
from tarnkappe.methods.microdata.pram import Pram
from tarnkappe.randomness import public_stream as stream
from tarnkappe.spec.step import apply_step

N = 20_000


def places(seed=1):
    """Twenty postcodes in eight towns: the postcode determines the town."""
    code = np.random.default_rng(seed).choice(20, N, p=np.arange(1, 21) / 210)
    town = code * 8 // 20
    return code, town


def as_data(code, town):
    return Microdata(
        {
            "postcode": Column.texts_of([f"{c:05d}" for c in code]),
            "town": Column.texts_of([f"town {t}" for t in town]),
        }
    )


def codes(data):
    return data.column("postcode").values.astype(int), data.column("town").values.astype(int)


def matrix(mode, counts, alpha):
    made = {"proportional": proportional, "direct": direct}
    return made[mode](counts, alpha) if mode in made else two_stage(even(len(counts), alpha), counts)


@pytest.mark.parametrize("mode", ["proportional", "direct", "two-stage"])
def test_the_most_likely_value_is_right_as_often_as_the_matrix_says(mode):
    """Maximum a posteriori: right for Σ_l max_k p_kl T_k records on average. Five standard deviations, 1e-6 by chance."""
    code, town = places()
    counts = np.bincount(code)
    p = matrix(mode, counts, 0.6)
    guess = np.argmax(p * counts[:, None], axis=0)
    after = apply_step(
        Pram(columns=("postcode",), mode=mode, alpha=0.6, leak="masked-later"),
        as_data(code, town),
        stream("s"),
    )
    expected = (p * counts[:, None]).max(axis=0).sum()
    hits = np.count_nonzero(guess[codes(after)[0]] == code)
    assert abs(hits - expected) < 5 * np.sqrt(N / 4)
    assert expected < N * (0.97 if mode == "direct" else 0.7)


def test_a_town_undoes_a_postcode_that_was_changed_alone():
    """The functional dependency: with the true town beside it, whatever does not fit is known to be false."""
    code, town = places()
    after = apply_step(
        Pram(columns=("postcode",), alpha=0.5, leak="masked-later"), as_data(code, town), stream("s")
    )
    new, _ = codes(after)
    caught = (new * 8 // 20) != town
    assert caught.mean() > 0.3
    assert (new[caught] != code[caught]).all()
    assert np.mean(new[~caught] == code[~caught]) > np.mean(new == code) + 0.2  # and what fits is much surer


def sure_and_right(code, seen, counts, p_code, p_town):
    """Share of records whose true postcode the attacker is at least 80 percent sure of, and of these the share that is right."""
    k = np.arange(20)
    chance = p_code[k][:, seen[0]] * p_town[k * 8 // 20][:, seen[1]] * counts[:, None]
    chance /= chance.sum(axis=0)
    sure = chance.max(axis=0) >= 0.8
    return sure.mean(), np.mean(chance.argmax(axis=0)[sure] == code[sure]) if sure.any() else None


def test_separate_draws_are_undone_and_joint_ones_are_not():
    """Same alpha. Two independent looks at one truth, against one look at the combination."""
    code, town = places()
    counts = np.bincount(code)
    p_code, p_town = proportional(counts, 0.5), proportional(np.bincount(town), 0.5)
    seen = _run(code, town, joint=False)
    sure, right = sure_and_right(code, seen, counts, p_code, p_town)
    assert sure > 0.2  # the attack works on separate draws
    assert right > 0.8
    assert ((seen[0] * 8 // 20) != seen[1]).mean() > 0.4  # and shows who was changed
    joint = _run(code, town, joint=True)
    assert np.array_equal(joint[0] * 8 // 20, joint[1])  # a joint release shows no contradiction
    assert sure_and_right(code, joint, counts, p_code, np.ones((8, 8))) == (0.0, None)


def _run(code, town, *, joint):
    step = Pram(columns=("postcode", "town"), alpha=0.5, joint=joint, leak="masked-later")
    return codes(apply_step(step, as_data(code, town), stream("s")))


def test_several_releases_are_out_voted():
    """What the card says it does not stand: the most frequent of seven releases is the truth for most records."""
    code, town = places()
    step, data = Pram(columns=("postcode",), alpha=0.5, leak="masked-later"), as_data(code, town)
    seen = np.stack([codes(step.apply(data, stream(f"release {i}")))[0] for i in range(7)])
    votes = np.array([np.bincount(column, minlength=20).argmax() for column in seen.T])
    assert np.mean(votes == code) > 0.9
    assert np.mean(seen[0] == code) < 0.6


# -- what else is in the file -------------------------------------------------------------------------------------


def surveyed(seed, n=600):
    """Land from county, region from weight, and status from what is missing."""
    g = np.random.default_rng(seed)
    county = g.integers(0, 24, n)
    status = g.choice(["works", "retired", "studies"], n, p=[0.6, 0.3, 0.1])
    pay = np.exp(g.normal(8, 1, n)).round()
    return Microdata(
        {
            "land": Column.texts_of([f"land {c // 4}" for c in county]),
            "county": Column.texts_of([f"county {c}" for c in county]),
            "status": Column.texts_of(status.tolist()),
            "wage": Column.numbers_of(np.where(status == "works", pay, np.nan)),
            "pension": Column.numbers_of(np.where(status == "retired", pay, np.nan)),
            "age": Column.numbers_of(g.integers(18, 90, n)),
        }
    )


def by_majority(release, name, tells):
    """What somebody takes for the truth who puts together records alike in what tells: the value most of them show."""
    shown = release.column(name).texts()
    keys = list(zip(*tells, strict=True))
    votes = {}
    for key, value in zip(keys, shown, strict=True):
        votes.setdefault(key, []).append(value)
    most = {key: max(set(values), key=values.count) for key, values in votes.items()}
    return np.array([most[key] for key in keys])


def gaps(data, *names):
    return [data.column(name).missing.tolist() for name in names]


@pytest.mark.parametrize("seed", range(3))
def test_changes_come_back_from_a_finer_column_and_from_gaps_so_the_step_refuses(seed):
    data = surveyed(seed)
    for name, others in (("land", ("county",)), ("status", ("wage", "pension"))):
        step = {"columns": (name,), "alpha": 0.3}
        open_ = apply_step(Pram(**step, leak="masked-later"), data, stream("s"))
        tells = [open_.column(n).texts().tolist() for n in others] if name == "land" else gaps(open_, *others)
        truth, changed = data.column(name).texts(), data.column(name).texts() != open_.column(name).texts()
        back = by_majority(open_, name, tells) == truth
        assert changed.sum() > 50 and back[changed].mean() > 0.9, "the attack works"
        with pytest.raises(CompanionOpen if name == "land" else GapsTell, match=name):
            apply_step(Pram(**step), data, stream("s"))


@pytest.mark.parametrize("seed", range(3))
def test_what_the_message_says_helps(seed):
    data = surveyed(seed)
    both = apply_step(Pram(columns=("land", "county"), alpha=0.5), data, stream("s"))
    truth = data.column("land").texts()
    changed = truth != both.column("land").texts()
    guess = by_majority(both, "land", [both.column("county").texts().tolist()])
    assert np.mean(guess[changed] == truth[changed]) < 0.1
    inside = apply_step(Pram(columns=("county",), within=("land",), alpha=0.5), data, stream("s"))
    assert (inside.column("county").texts() != data.column("county").texts()).any()
    filled = data.without(["wage", "pension"])
    apply_step(Pram(columns=("status",), alpha=0.3), filled, stream("s"))
    with pytest.raises(CompanionOpen):
        apply_step(Pram(columns=("county",), alpha=0.5), data, stream("s"))
