"""Messages that cannot be handled (function.py, letters.py): kept, noted, given up."""

import base64
import json
import re

import pytest
from flask import Request
from werkzeug.test import EnvironBuilder

from entracte.errors import RetryableError
from entracte.runtime.doors.function import push_function
from entracte.runtime.engine.giving_up import give_up
from tests.runtime.scenes import a_world, events
from tests.runtime.script import Script


def posted(world, body, handle=None):
    """Status of the answer to a push."""
    handler = handle or world.process.engine.handle
    function = push_function("plan", handler, lambda authorization, host: None, world.process)
    return function(Request(EnvironBuilder(method="POST", data=body).get_environ()))[1]


def envelope(data):
    """A push of these bytes."""
    return json.dumps({"message": {"data": base64.b64encode(data).decode()}}).encode()


def letters(world):
    """What was kept."""
    return [fields for path, fields in world.documents().items() if path.startswith("letters/")]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"message": {"data": 7}}', envelope(b"{}")])
def test_a_message_that_names_no_run_is_kept_and_counted_and_never_looped(body):
    """It is acknowledged: it would be no better the next time."""
    world = a_world(Script(["done"]))
    assert [posted(world, body) for _ in range(3)] == [204, 204, 204]
    (letter,) = letters(world)
    assert (letter["count"], letter["size_bytes"], bool(letter["reason"])) == (3, len(body), True)


def test_a_message_of_a_newer_version_is_left_to_it():
    """Nothing is wrong with it; due dates bring it again."""
    world = a_world(Script(["done"]))
    message = envelope(b'{"schema_version": 2, "kind": "plan", "run": "r"}')
    assert (posted(world, message), letters(world)) == (204, [])


def test_a_letter_that_cannot_be_kept_comes_again():
    """The store cannot be reached: it is not lost."""
    world = a_world(Script(["done"]))

    class Down:
        def __init__(self, store):
            self.store = store

        def load(self, paths):
            raise RetryableError("down")

    world.process = world.new_process(store=Down)
    assert posted(world, b"{") == 503


def test_a_bug_is_noted_in_the_runs_journal_and_named_when_its_message_is_given_up():
    """Whoever finds the run stalled knows why."""
    world = a_world(Script(["done"]))
    run = world.start("Go.")
    (message,) = world.bus.waiting

    def broken(message):
        raise KeyError("tenant")

    for _ in range(3):
        with pytest.raises(KeyError):
            posted(world, envelope(message.encode()), broken)
    (noted,) = [event.data["message"] for event in events(world, run, "error")]
    assert re.fullmatch(r"KeyError \(test_dead_letters\.py:\d+\): 'tenant'", noted)
    give_up(world.process.engine, message, "A message of kind plan came back too often.")
    assert world.run(run.id).error == f"A message of kind plan came back too often. {noted}"
