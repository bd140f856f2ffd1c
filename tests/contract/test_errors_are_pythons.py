"""Errors are also what Python calls them, so that programs that know nothing of ours can catch them."""

import pickle
import pkgutil
from importlib import import_module
from itertools import chain
from string import Formatter

import polars as pl
import pytest

import tarnkappe as tk
from tarnkappe import errors
from tarnkappe.errors import InputWrong, OurFault, TarnkappeError
from tarnkappe.errors.data import ColumnMissing
from tarnkappe.errors.files import FileMissing

for module in pkgutil.iter_modules(errors.__path__, "tarnkappe.errors."):
    import_module(module.name)


def below(cls):
    return chain.from_iterable((one, *below(one)) for one in cls.__subclasses__())


DECLARED = sorted({cls for cls in below(TarnkappeError) if "code" in vars(cls)}, key=lambda cls: cls.code)


def made(cls):
    fields = {name for text in (cls.says, cls.fix) for _, name, _, _ in Formatter().parse(text.en) if name}
    return cls(**dict.fromkeys(fields, 7))


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.code)
def test_every_error_says_its_sentence_and_reaches_another_process(cls):
    problem = made(cls)
    problem.at("steps[1]")
    assert str(problem) == problem.text("en")
    assert str(problem).startswith(f"[{cls.code}] steps[1]: ")
    again = pickle.loads(pickle.dumps(problem))
    assert type(again) is cls
    assert again.text("de") == problem.text("de")
    assert str(again) == str(problem)


@pytest.mark.parametrize("cls", DECLARED, ids=lambda cls: cls.code)
def test_wrong_input_is_a_value_error_and_a_fault_of_ours_a_runtime_error(cls):
    assert issubclass(cls, ValueError) == issubclass(cls, InputWrong)
    assert issubclass(cls, RuntimeError) == issubclass(cls, OurFault)


def test_a_missing_file_is_what_python_calls_it(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere") as caught:
        tk.read(tmp_path / "nowhere.csv")
    assert isinstance(caught.value, FileMissing)


def test_a_missing_column_is_a_key_error():
    data = tk.read(pl.DataFrame({"age": [1, 2]}))
    with pytest.raises(KeyError) as caught:
        data.column("agee")
    assert isinstance(caught.value, ColumnMissing)
    assert str(caught.value).startswith("[data.")


def test_a_wrong_parameter_is_a_value_error():
    with pytest.raises(ValueError, match=r"plan\.|parameter"):
        tk.catalogue["microdata.mdav"](columns=("a",), k=-1)


def test_what_is_no_frame_is_a_type_error():
    with pytest.raises(TypeError, match="cannot be read as data"):
        tk.read(3)
