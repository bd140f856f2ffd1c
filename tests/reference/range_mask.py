"""Masking along a tree as sections 5 and 9.2 of the specification write it: nodes as objects, sums by recursion."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False)
class Node:
    number: int
    value: int = 0
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    interval: tuple[int, int] | None = None
    phase: str = ""
    protects: tuple[int, ...] = ()

    @property
    def level(self):
        return 0 if self.parent is None else self.parent.level + 1


def grow(parent, value):
    nodes = [Node(i, int(v)) for i, v in enumerate(value)]
    for node, above in zip(nodes, parent, strict=True):
        if above >= 0:
            node.parent = nodes[above]
            nodes[above].children.append(node)
    return nodes


def best(candidates):
    return max(candidates, key=lambda c: (c.value, -c.number), default=None)


def letter(step):
    return "abcdefghijklmnopqrstuvwxyz"[step]


def primary(nodes, low, high):
    for node in nodes:
        if not node.children and low <= node.value <= high:
            node.interval, node.phase = (low, high), "1"


def compat(parent, value, low, high):
    nodes = grow(parent, value)
    half = -((low - high) // 2)

    def mask(node, phase, protects):
        inside = low <= node.value <= high
        node.interval = (low, high) if inside else (max(node.value - half, 0), node.value + half)
        node.phase, node.protects = phase, protects

    primary(nodes, low, high)
    deepest = max((n.level for n in nodes), default=0)
    for step, level in enumerate(range(deepest - 1, -1, -1)):
        for p in [n for n in nodes if n.level == level]:
            masked = [c for c in p.children if c.interval]
            if len(masked) == 1 and not p.interval:
                chosen = best([c for c in p.children if not c.interval and c.value > 0]) or p
                mask(chosen, "2" + letter(step), (masked[0].number,))
    for step, level in enumerate(range(1, deepest)):
        for p in [n for n in nodes if n.level == level]:
            if p.interval and p.children and not any(c.interval for c in p.children):
                chosen = best([c for c in p.children if c.value > 0])
                if chosen:
                    mask(chosen, "3" + letter(step), p.protects)
    return nodes


def safe(parent, value, low, high):
    nodes = grow(parent, value)

    def floor(node):
        return 1 if node.children else high + 1

    def spans(node):
        masked = [c for c in node.children if c.interval]
        shown = sum(c.value for c in node.children if not c.interval)
        return shown + sum(c.interval[0] for c in masked), shown + sum(c.interval[1] for c in masked)

    def supports(node, down, up):
        if node.interval or node.value <= 0 or node.value - down < floor(node):
            return False
        if not node.children:
            return True
        least, most = spans(node)
        down, up = max(0, least - (node.value - down)), max(0, node.value + up - most)
        return (down == 0 and up == 0) or any(supports(c, down, up) for c in node.children)

    primary(nodes, low, high)
    deepest = max((n.level for n in nodes), default=0)
    for step, level in enumerate(range(deepest - 1, -1, -1)):
        for p in [n for n in nodes if n.level == level and n.children]:
            masked = [c for c in p.children if c.interval]
            if not masked:
                continue
            least, most = spans(p)
            widest = max(c.interval[1] - c.interval[0] for c in masked)
            down, up = max(0, widest - (p.value - least)), max(0, widest - (most - p.value))
            if down == 0 and up == 0:
                continue
            chosen = best([c for c in p.children if supports(c, down, up)])
            target = chosen or p
            target.interval = (chosen.value - down, chosen.value + up) if chosen else (least, most)
            target.phase, target.protects = "2" + letter(step), tuple(c.number for c in masked)
    for step, level in enumerate(range(deepest)):
        for p in [n for n in nodes if n.level == level and n.interval and n.children]:
            least, most = spans(p)
            down, up = max(0, least - p.interval[0]), max(0, p.interval[1] - most)
            if down or up:
                chosen = best([c for c in p.children if supports(c, down, up)])
                chosen.interval = (chosen.value - down, chosen.value + up)
                chosen.phase, chosen.protects = "3" + letter(step - 1), p.protects
    for level in range(deepest):
        for p in [n for n in nodes if n.level == level and n.interval]:
            _widen(p, spans(p), floor)
    return nodes


def _widen(p, span, floor):
    """Added masks below a masked node, as wide as the published intervals around them allow."""
    new = {}
    for c in p.children:
        as_sibling = c.phase[:1] == "3" or (c.phase[:1] == "2" and not _for_own_children(c))
        if c.interval and as_sibling:
            low = p.interval[0] - (span[1] - c.interval[1])
            high = p.interval[1] - (span[0] - c.interval[0])
            new[c] = (min(c.interval[0], max(low, floor(c))), max(c.interval[1], high))
    for c, interval in new.items():
        c.interval = interval


def _for_own_children(node):
    return bool({c.number for c in node.children} & set(node.protects))
