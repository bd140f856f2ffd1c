"""How many bits a secret holds, as far as it can be told from the secret alone.

Nobody can see that a secret was drawn at random; but one that can be written down shorter than random signs was not.
So the shortest description is looked for that is made of single signs, runs with a constant step ("aaaa", "9876") and
copies of what came before or of what everybody tries first (rows of the keyboard, the alphabet, "password"). Words of a
language are counted by what drawing them from a list would give. The length of a description by such a code bounds the
bits from above: a random secret is described c bits shorter than it was drawn with probability 2⁻ᶜ at most (the
inequality of Kraft). Of random secrets that are just long enough, fewer than one in a hundred are refused, of those drawn
as we tell people to (64 hexadecimal digits) none; whoever meets the one draws again.
"""

from __future__ import annotations

import re
from itertools import accumulate
from math import log2

NEEDED = 128.0
"""Bits that a secret must be able to hold by its length and its signs."""
_SPARED = 11.0
"""Bits by which a random secret may be described shorter by chance."""
_KNOWN = (
    "0123456789 0987654321 abcdefghijklmnopqrstuvwxyz qwertyuiop asdfghjkl zxcvbnm qwertzuiop yxcvbnm "
    "1q2w3e4r5t6z7u8i9o0p 1qaz2wsx3edc4rfv5tgb6yhn7ujm password passwort kennwort secret geheimnis letmein admin "
    "tarnkappe survey changeme deadbeef cafebabe f00d "
)
"""What everybody tries first."""
_LONGEST = 256
"""Signs that are looked at; more add nothing that is needed."""
_LEAST_COPY = 3
_PER_LETTER = 2.2
"""Bits per letter of words drawn from a list of 7,776: 12.9 bits for a word of some six letters."""
_WORDS = re.compile(r"[A-ZÄÖÜ]?[a-zäöüß]{2,}|[A-ZÄÖÜ]{3,}")
_PAIRS = frozenset(
    [
        "th",
        "he",
        "in",
        "er",
        "an",
        "re",
        "nd",
        "at",
        "on",
        "nt",
        "ha",
        "es",
        "st",
        "en",
        "ed",
        "to",
        "it",
        "ou",
        "ea",
        "hi",
        "is",
        "or",
        "ti",
        "as",
        "te",
        "et",
        "ng",
        "of",
        "al",
        "de",
        "se",
        "le",
        "sa",
        "si",
        "ar",
        "ve",
        "ra",
        "ld",
        "ur",
        "ri",
        "ro",
        "ic",
        "ne",
        "me",
        "li",
        "io",
        "ce",
        "om",
        "co",
        "ec",
        "ct",
        "ho",
        "rs",
        "ss",
        "tt",
        "ta",
        "ba",
        "ry",
        "la",
        "ap",
        "pl",
        "pe",
        "us",
        "ut",
        "ch",
        "ei",
        "ie",
        "un",
        "ge",
        "be",
        "da",
        "au",
        "sc",
        "ic",
        "ir",
        "ig",
        "ll",
        "mm",
        "nn",
        "ff",
        "tr",
        "pr",
        "fr",
        "gr",
        "br",
        "ac",
        "ca",
        "ma",
        "mi",
        "no",
        "so",
        "we",
        "wa",
        "wi",
        "el",
        "em",
        "im",
        "ol",
        "op",
        "os",
        "ow",
        "po",
        "lo",
        "ly",
        "ke",
        "ki",
        "ka",
        "tu",
        "ul",
        "um",
        "ai",
        "ad",
        "il",
        "id",
        "ab",
        "ag",
        "am",
        "av",
        "ay",
        "by",
        "cl",
        "cr",
        "di",
        "do",
        "ee",
        "ef",
        "eg",
        "ep",
        "ev",
        "ex",
        "ey",
        "fe",
        "fi",
        "fo",
        "gh",
        "go",
        "hr",
        "ht",
        "if",
        "ja",
        "je",
        "ju",
        "ks",
        "lt",
        "mo",
        "mp",
        "na",
        "nc",
        "nk",
        "ns",
        "oc",
        "od",
        "oo",
        "ot",
        "ov",
        "pa",
        "pi",
        "rd",
        "rg",
        "rk",
        "rm",
        "rn",
        "rt",
        "ru",
        "sh",
        "sp",
        "su",
        "sw",
        "ty",
        "ue",
        "uf",
        "uh",
        "uk",
        "uc",
        "up",
        "ub",
        "va",
        "vi",
        "vo",
        "wo",
        "ye",
        "zu",
        "ze",
        "zw",
    ]
)
"""The pairs of letters that words of English and German are made of."""
_LEAST_PAIRS, _SHARE = 10, 0.66


def secret_strength(given: bytes) -> float:
    """Bits that the secret holds at most. It is strong from 128 on."""
    text = _as_text(given)[:_LONGEST]
    by_length = len(text) * log2(_signs(text))
    described = _description(text)
    return min(by_length, NEEDED) if described >= NEEDED - _SPARED else min(by_length, described)


def _as_text(given: bytes) -> str:
    try:
        return given.decode()
    except UnicodeDecodeError:  # bytes that are no text, taken one by one
        return given.decode("latin-1")


def _signs(text: str) -> int:
    """How many signs there are to choose from, by those that occur."""
    for kind, count in (("[0-9]*", 10), ("[0-9a-f]*|[0-9A-F]*", 16), ("[a-z]*|[A-Z]*", 26), ("[ -~]*", 64)):
        if re.fullmatch(kind, text):
            return count
    return 128


def _description(text: str) -> float:
    """Bits of the shortest description that is found."""
    costs = _of_signs(text)
    folded = "".join(sign.lower()[0] for sign in text)
    context = _KNOWN + folded
    capitals = [0, *accumulate(a != b for a, b in zip(text, folded, strict=True))]
    best = [0.0] + [float("inf")] * len(text)
    for at, cost in enumerate(costs):
        best[at + 1] = min(best[at + 1], best[at] + cost)
        for length, told in ((_run(folded, at), cost + 4), (_copy(context, at), log2(len(_KNOWN) + at + 1))):
            for taken in range(_LEAST_COPY, length + 1):
                large = capitals[at + taken] - capitals[at]
                whole = told + 2 * log2(taken) + min(large, taken - large)
                best[at + taken] = min(best[at + taken], best[at] + whole)
    return best[-1]


def _of_signs(text: str) -> list[float]:
    """Bits of every sign by itself; letters of words hold fewer."""
    costs = [log2(_signs(text))] * len(text)
    words = [] if re.fullmatch("[0-9a-fA-F]*", text) else list(_WORDS.finditer(text))
    pairs = [word[0][i : i + 2].lower() for word in words for i in range(len(word[0]) - 1)]
    if len(pairs) >= _LEAST_PAIRS and sum(pair in _PAIRS for pair in pairs) >= _SHARE * len(pairs):
        for word in words:
            costs[word.start() : word.end()] = [_PER_LETTER] * len(word[0])
    return costs


def _run(text: str, at: int) -> int:
    """How far signs go on from here with a constant step: aaaa, 1234, fedc."""
    if at + 1 >= len(text):
        return 0
    step, end = ord(text[at + 1]) - ord(text[at]), at + 2
    while end < len(text) and ord(text[end]) - ord(text[end - 1]) == step:
        end += 1
    return end - at if abs(step) <= 2 else 0


def _copy(context: str, at: int) -> int:
    """The longest piece from here that stood before."""
    start, length = len(_KNOWN) + at, 0
    while start + length < len(context):
        where = context.find(context[start : start + length + 1])
        if not 0 <= where < start:
            break
        length += 1
    return length
