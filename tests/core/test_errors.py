"""The tree of errors (errors.py)."""

import inspect

import pytest

from entracte import errors
from entracte.errors import Blocked, EntracteError, ModelUnavailable, RetryableError, TerminalError


def tree(error, level=0):
    """Classes below an error, a line each, as they are drawn at the top of the module."""
    below = [f"{'  ' * level}{error.__name__}"]
    for sub in error.__subclasses__():
        if sub.__module__ == errors.__name__:
            below += tree(sub, level + 1)
    return below


def test_the_tree_of_errors_is_pinned():
    """What a handler does with an error follows from its branch; a change here is a change of behaviour."""
    assert "\n".join(tree(EntracteError)) == inspect.cleandoc("""
        EntracteError
          ConfigurationError
          RetryableError
            StaleWrite
            AmbiguousCommit
            StoreUnavailable
            ModelUnavailable
            ServerUnavailable
            RateLimited
          TerminalError
            InvalidInput
            ToolError
            ServerRefused
            Blocked
            BudgetExceeded
            ModelRefused
            NewerSchema
            CorruptDocument
            Conflict
            NotFound
            Forbidden
              Unauthenticated
            RunFailed
            RunWaiting
        """)


def test_the_tree_at_the_top_of_the_module_names_every_error():
    """It is what people read."""
    drawn = [word for line in (errors.__doc__ or "").splitlines() for word in line.split()[:3] if word.isalpha()]
    assert [name for name in tree(EntracteError) if name.strip() not in drawn] == []


def test_every_kind_of_error_has_a_code_of_its_own():
    """Clients of the API go by it."""
    kinds = [getattr(errors, name.strip()) for name in tree(EntracteError)]
    assert len({kind.code for kind in kinds}) == len(kinds)


def test_an_error_says_what_and_what_to_do():
    """Both stay attributes; an instance may be more precise than its class."""
    error = TerminalError("It is too hot.", remedy="Wait.", pointer="/tea", code="too_hot")
    assert (str(error), error.message, error.remedy) == ("It is too hot. Wait.", "It is too hot.", "Wait.")
    assert (error.pointer, error.code, TerminalError.code) == ("/tea", "too_hot", "terminal")


def test_an_error_without_a_remedy_is_its_message():
    """Without a blank behind it."""
    assert str(Blocked("No mails on Sundays.")) == "No mails on Sundays."


def test_a_service_may_say_when_to_come_back():
    """The bus waits at least so long."""
    error = ModelUnavailable("Overloaded.", retry_after_s=7)
    assert (error.retry_after_s, isinstance(error, RetryableError)) == (7, True)


@pytest.mark.parametrize("branch", [RetryableError, TerminalError])
def test_the_branches_do_not_overlap(branch):
    """Again later, or never again."""
    other = TerminalError if branch is RetryableError else RetryableError
    assert not issubclass(branch, other)
