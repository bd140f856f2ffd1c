"""Controlled noise, written from the definitions of the specification (N15, N16, N17): slow and obvious."""

from __future__ import annotations

from itertools import product

import numpy as np


def errors(x, y, stratum):
    """Relative errors of the means and of the standard deviations of every column in every stratum (4.2-6)."""
    means, spreads = [], []
    for b in np.unique(stratum):
        for j in range(x.shape[1]):
            there = (stratum == b) & ~np.isnan(x[:, j])
            old, new = x[there, j], y[there, j]
            if not len(old):
                continue
            yard = abs(old.sum()) if abs(old.sum()) > 1e-6 * np.abs(old).sum() else np.abs(old).sum()
            means.append(abs(new.sum() - old.sum()) / yard if yard else 0.0)
            spreads.append(abs(new.std() - old.std()) / old.std() if old.std() else 0.0)
    return sum(means) / x.shape[1], sum(spreads) / x.shape[1]


def objective(x, y, stratum, alpha):
    mean, spread = errors(x, y, stratum)
    return alpha * mean + (1 - alpha) * spread


def noisy(x, w, f, unit, signs):
    return x * (1 + f * signs[unit][:, None] + w)


def all_columns(x, w, f, unit, stratum, order, first, alpha):
    """Untreated units keep their values while the next one is judged."""
    signs = np.zeros(len(order))
    y = x.copy()
    for place, u in enumerate(order):
        costs = {}
        for s in (-1.0, 1.0):
            trial = y.copy()
            trial[unit == u] = (x * (1 + f * s + w))[unit == u]
            costs[s] = objective(x, trial, stratum, alpha)
        signs[u] = first if place == 0 else min(costs, key=costs.get)
        y[unit == u] = (x * (1 + f * signs[u] + w))[unit == u]
    return signs


def one_column(x, w, f, order, first):
    """One stratum, one record per unit, x and w of the steering column."""
    signs = np.zeros(len(x))
    gained = 0.0
    for place, i in enumerate(order):
        s = first if place == 0 else (-1.0 if gained > 0 else 1.0)
        signs[i] = s if x[i] >= 0 else -s
        gained += (f * signs[i] + w[i]) * x[i]
    return signs


def best(x, w, f, unit, stratum, units, alpha):
    """All balanced choices."""
    found = [
        (objective(x, noisy(x, w, f, unit, np.array(signs)), stratum, alpha), signs)
        for signs in product((-1.0, 1.0), repeat=units)
        if abs(sum(signs)) <= 1
    ]
    return min(found)


def exchanged(x, w, f, unit, stratum, signs, alpha, rounds, rng):
    """Unit after unit meets one farther on, or the next from there that goes the other way; they exchange if the objective falls."""
    signs, units = signs.copy(), len(signs)

    def cost():
        return objective(x, noisy(x, w, f, unit, signs), stratum, alpha)

    for place in range(rounds * units):
        if place % 16 == 0:
            away = 1 + int(rng.random() * (units - 1))
        one = place % units
        others = [(place + away + k) % units for k in range(17)]
        two = next((u for u in others if signs[u] != signs[one]), None)
        if two is None:
            continue
        before = cost()
        signs[[one, two]] = signs[[two, one]]
        if cost() >= before * (1 - 1e-13):
            signs[[one, two]] = signs[[two, one]]
    return signs
