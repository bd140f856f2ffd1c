"""Errors of the process around a release: the frame, the answers of `tarnkappe new`, earlier releases, the history."""

from __future__ import annotations

from tarnkappe.errors import InputWrong
from tarnkappe.language import Text


class FrameWrong(InputWrong):
    code = "process.frame"
    says = Text(
        "The frame {file!r} cannot be used: {problems}",
        "Der Rahmen {file!r} ist nicht verwendbar: {problems}",
    )
    fix = Text(
        "Compare with the frame that comes with Tarnkappe (plan/frame.yaml).",
        "Vergleichen Sie mit dem mitgelieferten Rahmen (plan/frame.yaml).",
    )


class PublicVariablesWrong(InputWrong):
    code = "process.public-variables"
    says = Text(
        "The list of publicly available variables {file!r} cannot be used: {problems}",
        "Die Liste öffentlich verfügbarer Merkmale {file!r} ist nicht verwendbar: {problems}",
    )
    fix = Text(
        "Compare with the list that comes with Tarnkappe (plan/public_variables.yaml).",
        "Vergleichen Sie mit der mitgelieferten Liste (plan/public_variables.yaml).",
    )


class AnswersWrong(InputWrong):
    code = "process.answers"
    says = Text(
        "The answers {file!r} cannot be used:\n{problems}",
        "Die Antworten {file!r} sind nicht verwendbar:\n{problems}",
    )


class AnswerMissing(InputWrong):
    code = "process.answer-missing"
    says = Text("There is no answer to: {question}", "Es gibt keine Antwort auf: {question}")
    fix = Text(
        "Answer in a terminal, or give a file with --answers.",
        "Antworten Sie im Terminal oder geben Sie mit --answers eine Datei an.",
    )


class EarlierUnreadable(InputWrong):
    code = "process.earlier-unreadable"
    says = Text(
        "The earlier release {folder!r} cannot be compared: {why}",
        "Die frühere Freigabe {folder!r} lässt sich nicht vergleichen: {why}",
    )
    fix = Text(
        "Give the folder of a release that Tarnkappe has made, with its data file.",
        "Geben Sie den Ordner einer Freigabe von Tarnkappe mit ihrer Datendatei an.",
    )


class NotAFolder(InputWrong, NotADirectoryError):
    code = "process.not-a-folder"
    says = Text("There is no folder {folder!r}.", "Es gibt keinen Ordner {folder!r}.")
