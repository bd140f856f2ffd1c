"""The cheapest assignment with few candidates: rows with a supply to columns with a capacity, by shortest augmenting paths.

A row knows a few columns only. Of every other column it knows a bound, `beyond`: its cost and price together are not below that. The
bound is an exit of the row. Prices only rise, so the bound holds on, and as long as no row leaves by its exit, no column it does not
know could do better: the assignment is the cheapest over all columns. A row that left gets other candidates, by the prices of the
moment, and is sent again; what was found before stays valid.

Sources: jonker1987 (shortest augmenting paths); volgenant1996 (few candidates, then all are priced).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NONE = -1


class Edges(NamedTuple):
    """Candidates of every row, the nearest first."""

    starts: Ints
    column: Ints
    cost: Floats
    flow: Ints


class Market(NamedTuple):
    """What is left, and the prices: cost + price[column] - worth[row] is never below 0, and 0 wherever something flows."""

    supply: Ints
    beyond: Floats
    left: Ints
    """Exits taken, by row."""
    room: Ints
    """Capacity of every column that is not used."""
    worth: Floats
    price: Floats


class _Net(NamedTuple):
    """The edges in use, as a list for every column."""

    row: Ints
    head: Ints
    after: Ints
    ahead: Ints


class _Search(NamedTuple):
    """Where the search for a way from one row stands."""

    distance: Floats
    by: Ints
    """Edge by which a column was reached."""
    seen: Ints
    done: Ints
    row_distance: Floats
    back: Ints
    """Edge against which a row was reached."""
    row_seen: Ints
    columns: Ints
    rows: Ints
    heap_distance: Floats
    heap_column: Ints


@njit(cache=True)
def route(edges: Edges, market: Market) -> None:
    """Send the supply of every row to the cheapest columns or, where its bound is cheaper, to its exit; everything is changed in place."""
    rows, columns = len(market.supply), len(market.room)
    net = _woven(edges, rows, columns)
    room_for = len(edges.column) + columns + 1
    search = _Search(
        np.empty(columns), np.empty(columns, np.int64), np.zeros(columns, np.int64), np.zeros(columns, np.int64),
        np.empty(rows), np.empty(rows, np.int64), np.zeros(rows, np.int64),
        np.empty(columns, np.int64), np.empty(rows, np.int64), np.empty(room_for), np.empty(room_for, np.int64),
    )  # fmt: skip
    turn = 0
    for i in range(rows):
        while market.supply[i] > 0:
            turn += 1
            column, leaver = _shortest(edges, market, search, net, i, turn)
            if column == NONE and leaver == NONE:
                break
            _send(edges, market, search, net, (i, column, leaver))


@njit(cache=True)
def _woven(edges: Edges, rows: int, columns: int) -> _Net:
    size = len(edges.column)
    net = _Net(
        np.empty(size, np.int64), np.full(columns, NONE, np.int64), np.full(size, NONE, np.int64), np.full(size, NONE, np.int64)
    )  # fmt: skip
    for i in range(rows):
        for e in range(edges.starts[i], edges.starts[i + 1]):
            net.row[e] = i
            if edges.flow[e] > 0:
                _link(net, edges.column[e], e)
    return net


@njit(cache=True)
def _shortest(
    edges: Edges, market: Market, search: _Search, net: _Net, source: int, turn: int
) -> tuple[int, int]:
    """The cheapest way from a row to a column with room, or to the exit of a row; prices are moved along. (-1, -1): there is none."""
    found, popped, looked, size = 1, 0, 0, 0
    search.rows[0], search.row_distance[source], search.row_seen[source] = source, 0.0, turn
    best, leaver = np.inf, NONE
    while True:
        while looked < found:
            i = search.rows[looked]
            d = search.row_distance[i] - market.worth[i]
            if d + market.beyond[i] < best:
                best, leaver = d + market.beyond[i], i
            size = _relax(edges, market, search, i, turn, size)
            looked += 1
        column, size = _next(search, turn, size)
        if column == NONE or search.distance[column] >= best:
            column = NONE
            break
        if market.room[column] > 0:
            best, leaver = search.distance[column], NONE
            break
        search.done[column], search.columns[popped] = turn, column
        popped += 1
        found = _behind(search, net, column, turn, found)
    if best < np.inf:
        for i in search.rows[:found]:
            market.worth[i] += max(best - search.row_distance[i], 0.0)
        for j in search.columns[:popped]:
            market.price[j] += best - search.distance[j]
    return column, leaver


@njit(cache=True)
def _behind(search: _Search, net: _Net, column: int, turn: int, found: int) -> int:
    """Reach the rows that use a column; returns how many rows were reached so far."""
    e = net.head[column]
    while e != NONE:
        i = net.row[e]
        if search.row_seen[i] != turn:
            search.row_seen[i], search.row_distance[i], search.back[i] = turn, search.distance[column], e
            search.rows[found] = i
            found += 1
        e = net.after[e]
    return found


@njit(cache=True)
def _relax(edges: Edges, market: Market, search: _Search, i: int, turn: int, size: int) -> int:
    """Look at the candidates of a row; returns the size of the heap."""
    d = search.row_distance[i] - market.worth[i]
    for e in range(edges.starts[i], edges.starts[i + 1]):
        column = edges.column[e]
        if search.done[column] == turn:
            continue
        cost = max(d + edges.cost[e] + market.price[column], search.row_distance[i])
        if search.seen[column] != turn or cost < search.distance[column]:
            search.seen[column], search.distance[column], search.by[column] = turn, cost, e
            size = _push(search.heap_distance, search.heap_column, size, cost, column)
    return size


@njit(cache=True)
def _next(search: _Search, turn: int, size: int) -> tuple[int, int]:
    """The nearest column that is not done, and the size of the heap."""
    while size:
        d, column = search.heap_distance[0], search.heap_column[0]
        size = _pop(search.heap_distance, search.heap_column, size)
        if search.done[column] != turn and d == search.distance[column]:
            return column, size
    return NONE, size


@njit(cache=True)
def _send(edges: Edges, market: Market, search: _Search, net: _Net, way: tuple[int, int, int]) -> None:
    """Move as much as fits from the source along the way that was found, to its column or to the exit of a row."""
    source, column, leaver = way
    amount = market.supply[source] if column == NONE else min(market.supply[source], market.room[column])
    i = leaver if column == NONE else net.row[search.by[column]]
    while i != source:
        back = search.back[i]
        amount = min(amount, edges.flow[back])
        i = net.row[search.by[edges.column[back]]]
    market.supply[source] -= amount
    if column == NONE:
        market.left[leaver] += amount
        i = leaver
    else:
        market.room[column] -= amount
        i = _raise(edges, net, search.by[column], amount)
    while i != source:
        back = search.back[i]
        edges.flow[back] -= amount
        if edges.flow[back] == 0:
            _unlink(net, edges.column[back], back)
        i = _raise(edges, net, search.by[edges.column[back]], amount)


@njit(cache=True)
def _raise(edges: Edges, net: _Net, e: int, amount: int) -> np.int64:
    """More flows along an edge; returns its row."""
    if edges.flow[e] == 0:
        _link(net, edges.column[e], e)
    edges.flow[e] += amount
    row: np.int64 = net.row[e]
    return row


@njit(cache=True)
def _link(net: _Net, column: int, e: int) -> None:
    net.after[e], net.ahead[e] = net.head[column], NONE
    if net.head[column] != NONE:
        net.ahead[net.head[column]] = e
    net.head[column] = e


@njit(cache=True)
def _unlink(net: _Net, column: int, e: int) -> None:
    if net.ahead[e] == NONE:
        net.head[column] = net.after[e]
    else:
        net.after[net.ahead[e]] = net.after[e]
    if net.after[e] != NONE:
        net.ahead[net.after[e]] = net.ahead[e]


@njit(cache=True)
def _push(distance: Floats, column: Ints, size: int, d: float, j: int) -> int:
    at = size
    while at > 0 and distance[(at - 1) // 2] > d:
        distance[at], column[at] = distance[(at - 1) // 2], column[(at - 1) // 2]
        at = (at - 1) // 2
    distance[at], column[at] = d, j
    return size + 1


@njit(cache=True)
def _pop(distance: Floats, column: Ints, size: int) -> int:
    """Take the first away; returns the new size."""
    size -= 1
    d, j, at = distance[size], column[size], 0
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and distance[child + 1] < distance[child]:
            child += 1
        if distance[child] >= d:
            break
        distance[at], column[at] = distance[child], column[child]
        at = child
    distance[at], column[at] = d, j
    return size
