"""What may be reached (outbound/addresses.py)."""

import pytest

from entracte.errors import RetryableError, TerminalError
from entracte.outbound.addresses import is_allowed, resolve

FORBIDDEN = """
0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.9.9.9 168.63.129.16 169.254.169.254 172.16.0.1 192.0.0.192
192.168.1.1 198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255
:: ::1 ::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 2001:0:1::1 2001:db8::1
2002:7f00:1:: fc00::1 fd00:ec2::254 fd20:ce::254 fe80::1 fe80::1%eth0 fec0::1 ff02::1
""".split()


@pytest.mark.parametrize("address", FORBIDDEN)
def test_private_loopback_link_local_and_metadata_addresses_are_not_public(address: str):
    """However they are written, IPv4 addresses in IPv6 clothes among them."""
    assert not is_allowed(address, public=True, loopback=False)


@pytest.mark.parametrize("address", ["8.8.8.8", "142.250.1.1", "2606:4700::1111"])
def test_public_addresses_are(address: str):
    """The rules refuse no more than they must."""
    assert is_allowed(address, public=True, loopback=False)


def test_a_setting_adds_this_machine_and_nothing_else():
    """Not the private network around it, nor the metadata service."""
    allowed = {address for address in FORBIDDEN if is_allowed(address, public=False, loopback=True)}
    assert allowed == {"127.0.0.1", "127.9.9.9", "::1"}


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "2130706433", "0x7f.1", "::1"])
def test_names_and_other_spellings_are_checked_by_what_they_resolve_to(host: str):
    """A name that looks public can lead anywhere."""
    with pytest.raises(TerminalError, match="where nothing may be sent"):
        resolve(host, 443, public=True, loopback=False)


def test_a_name_that_cannot_be_resolved_may_be_one_day():
    """A name server that is down is no reason to give up. The name is reserved: it exists nowhere (RFC 6761)."""
    with pytest.raises(RetryableError, match="cannot be resolved"):
        resolve("nowhere.invalid", 443, public=True, loopback=False)
