"""Servers from npm in tests. Without node a test is skipped on a laptop and fails where CI is set."""

import os

import pytest

import node_servers


def command(name):
    """The command that runs a server, as a manifest has it: program and arguments."""
    try:
        program, *arguments = node_servers.command(name)
    except node_servers.NodeServerMissing as missing:
        if os.environ.get("CI"):  # noqa: TID251  # whether it may be missing
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    return program, arguments
