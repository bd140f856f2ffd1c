"""Mondrian by the book: a recursion over lists of records."""


def blocks(rows, k, kinds=None, variety=1):
    """Sets of records; `rows` are tuples of places."""
    kinds = kinds or [0] * len(rows)
    widths = [max(max(c) - min(c), 1) for c in zip(*rows, strict=True)]

    def split(members):
        spans = []
        for j, width in enumerate(widths):
            values = [rows[i][j] for i in members]
            spans.append((max(values) - min(values)) / width)
        for j in sorted(range(len(widths)), key=lambda j: (-spans[j], j)):
            if spans[j] <= 0:
                break
            values = sorted(rows[i][j] for i in members)
            middle = values[len(values) // 2]
            for cut in (middle, middle + 1):
                low = [i for i in members if rows[i][j] < cut]
                high = [i for i in members if rows[i][j] >= cut]
                if min(len(low), len(high)) >= k and all(
                    len({kinds[i] for i in half}) >= variety for half in (low, high)
                ):
                    return split(low) + split(high)
        return [frozenset(members)]

    return set(split(list(range(len(rows)))))
