"""Plans that are kept in the project folder: nothing that another program wrote is lost by accident."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tarnkappe.errors.studio import PlanNameWrong, PlanNotKept
from tarnkappe.io.paths import inside

PLANS = (".yaml", ".yml")
Kept = Literal["saved", "same", "changed", "exists"]


@dataclass(slots=True)
class Keeping:
    """The plan file of a session, and what stood in each file when this session last read or wrote it."""

    folder: Path | None
    name: str = "plan.yaml"
    _known: dict[str, str] = field(default_factory=dict)

    def opened(self, name: str) -> None:
        """A file was opened: a plan, to which the draft goes back, or data, which gives its name."""
        path = Path(name)
        self.name = name if path.suffix.lower() in PLANS else f"{path.stem}.yaml"
        if path.suffix.lower() in PLANS and self.folder is not None:
            self._known[name] = _hash(self.folder / name)

    def keep(self, name: str, text: str, *, replace: bool = False) -> Kept:
        """Write the plan under that name, unless another text stands there that this session has not seen."""
        path = self._place(name)
        there, known = _hash(path), self._known.get(name)
        ours = hashlib.sha256(text.encode()).hexdigest()
        if there == ours:
            self.name, self._known[name] = name, ours
            return "same"
        if there and there != known and not replace:
            return "changed" if known else "exists"
        written(path, text)
        self.name, self._known[name] = name, ours
        return "saved"

    def _place(self, name: str) -> Path:
        if self.folder is None or not name.lower().endswith(PLANS) or "/" in name or name[0] == ".":
            raise PlanNameWrong
        return inside(self.folder, name)


def _hash(path: Path) -> str:
    """Of what stands in a file; nothing where there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def written(path: Path, text: str) -> None:
    """Whole or not at all."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        beside.write_text(text, encoding="utf-8")
        beside.replace(path)
    except OSError:
        raise PlanNotKept(file=path.name) from None
    finally:
        beside.unlink(missing_ok=True)
