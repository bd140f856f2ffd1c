"""Trees by definition: one node at a time."""


def ancestor(parent, level, node, highest):
    """Climb from a node until its level is at most `highest`."""
    while level[node] > highest:
        node = parent[node]
    return node


def depth(parent, node):
    """Steps up to the root."""
    steps = 0
    while parent[node] >= 0:
        node, steps = parent[node], steps + 1
    return steps


def preorder(parent):
    """Every node, then its children in the order of their positions."""

    def below(node):
        return [node, *(found for child, p in enumerate(parent) if p == node for found in below(child))]

    return below(next(node for node, p in enumerate(parent) if p < 0))


def on_cycle(parent):
    """Nodes that meet themselves on the way up."""
    found = []
    for start in range(len(parent)):
        node = parent[start]
        for _ in parent:
            if node in (-1, start):
                break
            node = parent[node]
        if node == start:
            found.append(start)
    return found


def generalise(texts, states, parents, levels, highest):
    """What every cell holds afterwards: its text, or None where the value is missing (state 1)."""
    out = []
    for text, state in zip(texts, states, strict=True):
        while state != 1 and levels[text] > highest:
            text = parents[text]
        out.append(None if state == 1 else text)
    return out
