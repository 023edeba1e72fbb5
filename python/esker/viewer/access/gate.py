"""Who may talk to the server. The gate is in front of every route: pages, files, the websocket and data.

- A request needs the token: once in the link, and from then on in a cookie.
- Its Host must be a name of this server, so that a foreign name that resolves to this machine (DNS rebinding) is refused.
- Its Origin, if it has one, must be that same host, so that pages of others cannot use the cookie or open a websocket.
"""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
SECURITY_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'self' http://localhost:* http://127.0.0.1:*"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Server": "esker",
}
"""Of every answer. BokehJS builds functions from text, hence 'unsafe-eval'."""


def new_secret() -> str:
    """A random text of 256 bits."""
    return secrets.token_urlsafe(32)


def checked_host(name: str) -> str:
    """An exact name of a host, in lower case. Raises ValueError for patterns and addresses with a path or port."""
    plain = name.strip().lower().strip("[]")
    if (
        not plain
        or any(character in plain for character in "*?/@ \\%#")
        or (":" in plain and not _is_address(plain))
    ):
        raise ValueError(f"expected the exact name of a host without port, found {name!r}")
    return plain


def checked_origin(origin: str) -> str:
    """An exact origin such as "https://hub.example.org:8000". Raises ValueError for patterns."""
    parts = urlsplit(origin.strip().lower())
    exact = (
        parts.scheme in ("http", "https") and parts.hostname and not (parts.path.strip("/") or parts.query)
    )
    if not exact or any(character in origin for character in "*?@ \\%"):
        raise ValueError(f"expected an exact origin such as https://hub.example.org, found {origin!r}")
    return f"{parts.scheme}://{parts.netloc}"


def is_loopback(host: str) -> bool:
    """Whether an address to listen at can be reached from this machine only."""
    return host == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


@dataclass
class Gate:
    """The secrets of one server, and the names it answers to."""

    hosts: frozenset[str]
    origins: frozenset[str] = frozenset()
    token: str = field(default_factory=new_secret)
    cookie: str = field(default_factory=new_secret)
    port: int = 0
    """Set when the server listens."""

    @property
    def cookie_name(self) -> str:
        """Cookies do not tell ports apart, so their name does."""
        return f"esker-view-{self.port}"

    def refusal(self, host: str | None, origin: str | None) -> str:
        """Why a request from elsewhere is refused; "" if it is not."""
        name = _host_name(host or "")
        if name not in self.hosts:
            return "This host name is not one of the server; see --allow-host of `esker view`."
        if origin is not None and not self._is_own(origin, host or ""):
            return "Pages of this origin may not use the server; see --allow-origin of `esker view`."
        return ""

    def _is_own(self, origin: str, host: str) -> bool:
        try:
            parts = urlsplit(origin.lower())
        except ValueError:
            return False
        if f"{parts.scheme}://{parts.netloc}" in self.origins:
            return True
        return parts.scheme in ("http", "https") and parts.netloc == host.lower()

    def knows(self, cookie: str | None) -> bool:
        """Whether the cookie is that of this server."""
        return cookie is not None and hmac.compare_digest(cookie.encode(), self.cookie.encode())

    def admits(self, token: bytes) -> bool:
        """Whether the token is that of this server."""
        return hmac.compare_digest(token, self.token.encode())


def gate_of(host: str, hosts: Iterable[str] = (), origins: Iterable[str] = ()) -> Gate:
    """The gate of a server that listens at `host`, also known by further exact names."""
    known = {checked_host(name) for name in hosts} | set(_LOOPBACK_NAMES)
    if not is_loopback(host) and host not in ("", "0.0.0.0", "::"):
        known.add(checked_host(host))
    return Gate(frozenset(known), frozenset(map(checked_origin, origins)))


def _host_name(host: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""
