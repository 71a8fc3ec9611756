"""Which addresses may be reached: public ones, looked at after the name has been resolved."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from entracte.errors import RetryableError, TerminalError

_UNICAST_V6 = ip_network("2000::/3")
"""Global unicast. What lies outside holds IPv4 addresses in disguise, among others: ``::ffff:…``, ``64:ff9b::…``."""

_NEVER = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, with the metadata service of one cloud
        "168.63.129.16/32",  # a public address that in another cloud is the host itself
        "2001::/32",  # Teredo
        "2002::/16",  # 6to4: an IPv4 address in disguise
    )
)


def resolve(host: str, port: int, *, public: bool, loopback: bool) -> list[str]:
    """The addresses of a host, in the order to try them.

    Args:
        public, loopback: Which kinds of addresses are right.

    Raises:
        TerminalError: One of them is not of these kinds.
        RetryableError: The name cannot be resolved now.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RetryableError(f"{host} cannot be resolved: {error}", code="host_unresolved") from None
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))
    for address in addresses:
        if not is_allowed(address, public=public, loopback=loopback):
            raise TerminalError(
                f"{host} is at {address}, where nothing may be sent.",
                remedy="Use an address on the public internet.",
                code="address_refused",
            )
    return addresses


def is_allowed(address: str, *, public: bool, loopback: bool) -> bool:
    """Whether an IP address is of one of these kinds. No other kind is ever right."""
    ip = ip_address(address.partition("%")[0])
    return (public and _is_public(ip)) or (loopback and ip.is_loopback)


def _is_public(ip: IPv4Address | IPv6Address) -> bool:
    if isinstance(ip, IPv6Address) and ip not in _UNICAST_V6:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _NEVER)
