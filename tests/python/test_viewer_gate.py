"""Who may talk to `esker view`: every sentence of the section on security in docs/guide/view.md, at every route."""

from __future__ import annotations

import errno
import http.client
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from click.testing import CliRunner

import esker
from esker.cli import esker as command

pytest.importorskip("bokeh")
from esker.viewer.access.gate import checked_host, checked_origin, gate_of, is_loopback  # noqa: E402
from esker.viewer.images.zarr_route import PREFIX  # noqa: E402
from esker.viewer.serving.server import ViewServer  # noqa: E402

ROUTES = [
    "/",
    "/ws",
    "/metadata",
    "/autoload.js",
    "/static/js/bokeh.min.js",
    "/favicon.ico",
    "/data",
    "/nothing",
    "/..%2f..%2fetc%2fpasswd",
    "/static/..%2f..%2f..%2fserver.py",
    "/static/%00",
    "/static/extensions/x/y",
]
ROUTES_3D = [
    "/volume", "/volume-scene", "/volume-samples", "/globe", "/globe-scene", "/globe-samples", "/globe-mesh",
    "/drawing.js", "/vtk.js",
]  # fmt: skip


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ViewServer]:
    path = tmp_path_factory.mktemp("gate") / "run.idx"
    esker.write(path, {"thk": np.ones((8, 8))})
    server = ViewServer(
        [esker.open(path)], allow_hosts=["viewer.test"], allow_origins=["https://hub.test:8443"]
    )
    server.start()
    yield server
    server.stop()


def ask(
    server: ViewServer, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of an answer; `headers` with _ for -."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    sent = {"Host": f"127.0.0.1:{server.port}"} | {
        name.replace("_", "-"): text for name, text in headers.items()
    }
    connection.request(method, path, headers=sent)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode("utf-8", "replace")
    connection.close()
    return found


def cookie(server: ViewServer) -> str:
    return f"{server.gate.cookie_name}={server.gate.cookie}"


@pytest.mark.parametrize("path", ROUTES + ROUTES_3D)
def test_every_route_needs_the_token(server: ViewServer, path: str) -> None:
    for more in (
        {},
        {"Cookie": f"{server.gate.cookie_name}=guess"},
        {"Cookie": f"other={server.gate.cookie}"},
    ):
        status, _, text = ask(server, path, **more)
        assert status == 403 and "Open the link with the token" in text
    assert ask(server, f"{path}?token=guess")[0] == 403
    assert ask(server, f"{path}?token={server.gate.cookie}")[0] == 403


@pytest.mark.parametrize("path", ROUTES + ROUTES_3D)
def test_foreign_hosts_and_origins_are_refused_with_the_cookie(server: ViewServer, path: str) -> None:
    known = cookie(server)
    for host in ("evil.test", "127.0.0.1.evil.test", "", "localhost@evil.test", "[::1", "viewer.test.evil"):
        assert ask(server, path, Cookie=known, Host=host)[0] in (400, 403), host
    for origin in (
        "http://evil.test",
        "null",
        "http://127.0.0.1:1",
        "file://",
        f"http://localhost:{server.port}",
    ):
        status, _, text = ask(server, path, Cookie=known, Origin=origin)
        assert status == 403 and "origin" in text, origin
    assert ask(server, f"{path}?token={server.gate.token}", Host="evil.test")[0] in (400, 403)


def test_the_token_is_in_the_link_once_then_in_a_cookie(server: ViewServer) -> None:
    status, headers, text = ask(server, f"/?token={server.gate.token}&field=thk&x=%22%3E%3Cb%3E")
    assert status == 200 and server.gate.token not in text and "<b>" not in text
    assert 'content="0;url=./?field=thk&amp;x=%22%3E%3Cb%3E"' in text
    parts = headers["Set-Cookie"].split("; ")
    assert parts[0] == cookie(server) and str(server.port) in parts[0].partition("=")[0]
    assert {"HttpOnly", "SameSite=Strict"} <= {*parts}
    assert server.gate.cookie != server.gate.token and len(server.gate.token) >= 43


def test_with_the_cookie_the_page_comes_from_this_server_alone(server: ViewServer) -> None:
    status, headers, text = ask(server, "/", Cookie=cookie(server))
    assert status == 200 and "http://" not in text and "https://" not in text
    assert 'src="./static/js/bokeh.min.js' in text
    assert server.gate.token not in text and server.gate.cookie not in text
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"


def test_pages_without_bokeh_allow_no_inline_scripts(server: ViewServer) -> None:
    status, headers, text = ask(server, "/volume", Cookie=cookie(server))
    policy = headers["Content-Security-Policy"]
    assert status == 200 and "script-src 'self';" in policy and "unsafe-eval" not in policy
    assert "<script>" not in text and "http" not in text.replace("http-equiv", "")
    status, headers, text = ask(server, f"/volume?token={server.gate.token}&field=thk")
    assert status == 200 and 'content="0;url=./volume?field=thk"' in text


@pytest.mark.parametrize("path", ROUTES_3D[1:3] + ROUTES_3D[4:7])
@pytest.mark.parametrize(
    "query", ["dataset=99", "dataset=%C2%B2", "read=-1", "read=" + "9" * 5000, "texture=x", "box=1"]
)
def test_links_of_3d_pages_are_taken_as_hostile(server: ViewServer, path: str, query: str) -> None:
    status, _, text = ask(server, f"{path}?{query}", Cookie=cookie(server))
    assert status == (200 if path.endswith("-scene") else 404) and "Traceback" not in text


@pytest.mark.parametrize("host", ["localhost", "viewer.test", "[::1]"])
def test_own_names_are_known_at_any_port(server: ViewServer, host: str) -> None:
    """A tunnel or a proxy has another port."""
    for port in ("", ":9999"):
        origin = f"http://{host}{port}"
        assert ask(server, "/", Cookie=cookie(server), Host=host + port, Origin=origin)[0] == 200


def test_no_route_takes_a_path(server: ViewServer) -> None:
    known = cookie(server)
    for path in ROUTES[7:]:
        status, _, text = ask(server, path, Cookie=known)
        assert status in (400, 403, 404) and "Traceback" not in text and "root:" not in text, path
        assert "esker" not in text.replace("esker view", "") or status == 403, path


def test_answers_have_no_stack_traces(server: ViewServer) -> None:
    known = cookie(server)
    for path in (
        "/nothing",
        "/data",
        "/data?format=npy&field=../x",
        "/data?format=..%2f&field=thk",
        "/?bokeh-session-id=x",
        "/?bokeh-token=x",
        "/autoload.js",
        "/ws",
    ):
        status, headers, text = ask(server, path, Cookie=known)
        assert status >= 400 and "Traceback" not in text and ".py" not in text, path
        assert headers["Server"] == "esker"
    assert ask(server, "/", "POST", Cookie=known)[0] in (403, 405)


UPGRADE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Protocol": "bokeh, x",
}


def test_the_token_is_not_logged(
    server: ViewServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(0)
    token = server.gate.token
    for path in (f"/?token={token}", f"/%3Ftoken={token}", f"{PREFIX}{token}/0/thk"):
        assert ask(server, path, Host="evil.test")[0] == 403
    assert ask(server, f"/nothing{token}")[0] == 403
    assert ask(server, f"/nothing{token}", Cookie=cookie(server))[0] == 404
    assert ask(server, f"/?token={token}&a=%ff")[0] in (200, 400)
    monkeypatch.setattr("esker.viewer.serving.server.urlencode", lambda _: 1 / 0)
    assert ask(server, f"/?token={token}&step=1")[0] == 500
    said = caplog.text
    assert "403" in said and "ZeroDivisionError" in said and token not in said


def test_the_websocket_has_the_same_gate(server: ViewServer) -> None:
    def status(**headers: str) -> int:
        return ask(server, "/ws", **UPGRADE, **headers)[0]

    own, known = f"http://127.0.0.1:{server.port}", cookie(server)
    assert status(Origin=own) == 403
    assert status(Origin="http://evil.test", Cookie=known) == 403
    assert status(Origin=own, Cookie=known, Host="evil.test") == 403
    assert status(Origin=own, Cookie=known) == 101
    assert status(Origin="https://hub.test:8443", Cookie=known) == 101


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "null", "", "//", "http://a]b"])
def test_malformed_origins_are_refused(server: ViewServer, origin: str) -> None:
    assert "Pages of this origin" in server.gate.refusal("localhost", origin)
    status, _, text = ask(server, "/", Origin=origin, Cookie=cookie(server))
    assert status == 403 and "Pages of this origin" in text


@pytest.mark.parametrize(
    "name", ["*", "*.test", "a.test:80", "a/b", "http://a.test", "", "a test", "%61.test"]
)
def test_hosts_are_exact_names(name: str) -> None:
    with pytest.raises(ValueError, match="exact name of a host"):
        checked_host(name)


@pytest.mark.parametrize(
    "origin", ["*", "https://*", "https://*.test", "a.test", "https://a.test/path", "ftp://a.test", ""]
)
def test_origins_are_exact(origin: str) -> None:
    with pytest.raises(ValueError, match="exact origin"):
        checked_origin(origin)


def test_it_listens_at_loopback(server: ViewServer) -> None:
    assert urlsplit(server.url()).hostname == "127.0.0.1"
    assert all(is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "127.9.9.9"))
    assert not any(is_loopback(host) for host in ("0.0.0.0", "::", "10.0.0.1", "node7"))
    assert "0.0.0.0" not in gate_of("0.0.0.0").hosts and "node7" in gate_of("node7").hosts


def test_the_command_refuses_patterns_and_has_no_way_without_token(tmp_path: Path) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.ones((2, 2))})
    for wrong in (["--allow-host", "*"], ["--allow-origin", "https://*"], ["--port", "70000"]):
        result = CliRunner().invoke(command, ["view", str(tmp_path / "a.idx"), "--no-browser", *wrong])
        assert result.exit_code == 2, result.output
    shown = CliRunner().invoke(command, ["view", "--help"]).output
    assert "token" in shown and not any(f"--{word}" in shown for word in ("no-token", "token", "insecure"))


def test_a_port_in_use_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.ones((2, 2))})

    def refuse(port: int, host: str) -> None:
        raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))

    monkeypatch.setattr("esker.viewer.serving.server.bind_sockets", refuse)
    result = CliRunner().invoke(command, ["view", str(tmp_path / "a.idx"), "--no-browser", "--port", "5006"])
    assert result.exit_code == 1 and f"127.0.0.1:5006: {os.strerror(errno.EADDRINUSE)}" in result.stderr


def test_another_host_warns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    esker.write(tmp_path / "a.idx", {"f": np.ones((2, 2))})
    monkeypatch.setattr(ViewServer, "run", lambda self: [one.close() for one in self._sockets])
    for host, warned in (("127.0.0.1", False), ("0.0.0.0", True)):
        result = CliRunner().invoke(
            command, ["view", str(tmp_path / "a.idx"), "--no-browser", "--host", host]
        )
        assert result.exit_code == 0 and ("can be reached from the network" in result.stderr) == warned
        assert "/?token=" in result.stdout
