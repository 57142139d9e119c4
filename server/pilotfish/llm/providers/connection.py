"""Failures on the way to a model server as our errors, with a text for people.

Owns: what to say when the server cannot be reached, is silent, breaks off, or is something else.
Does not own: errors that the server itself answers with (``refusals``).
"""

import re
import socket
import ssl
from collections.abc import Iterator
from typing import cast
from urllib.parse import urlsplit

from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.endpoint import Dialect, Endpoint, redact, shown_url

MAX_DETAIL_CHARS = 500
"""How much of an exception's own text is passed on."""

MAX_SHOWN_CHARS = 120
"""How much of an answer that is no reply is shown."""

MAX_SCANNED_CHARS = 4096
"""How much of it is looked at."""

_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]+)</title", re.IGNORECASE)


def from_connection_failure(error: BaseException, endpoint: Endpoint) -> ModelError:
    """Turn a failure to reach the server into ours."""
    what, hint = _connection_texts(tuple(_causes(error)), endpoint)
    return ModelError("connection", what, hint=hint)


def timed_out(endpoint: Endpoint, silent_s: float) -> ModelError:
    """Say that nothing came for too long."""
    return ModelError(
        "timeout",
        f"{endpoint.name} sent nothing for {silent_s:.0f} seconds.",
        hint="Send the prompt again. If it keeps happening, the server is overloaded or a proxy "
        "on the way holds back the stream.",
    )


def broken_stream(endpoint: Endpoint, detail: str) -> ModelError:
    """Say that the reply broke off."""
    return ModelError(
        "stream_broken",
        f"The reply from {endpoint.name} broke off: {detail}.",
        hint="What had arrived is kept, unfinished tool calls were not run. Send “continue” to go "
        "on.",
    )


def not_a_reply(endpoint: Endpoint, body: str, content_type: str) -> ModelError:
    """Say that something answered, but no model server.

    Args:
        endpoint: Who was asked.
        body: What came, or its beginning.
        content_type: What the answer says that it is; may be empty.
    """
    sent = _described(body, endpoint)
    if content_type:
        sent = f"{sent}, labelled {content_type}"
    return ModelError(
        "invalid_request",
        f"{endpoint.name} answered, but not as the {endpoint.dialect.api} does: it sent {sent}.",
        hint=f"Check the base URL ({endpoint.dialect.url_settings}): it must be "
        f"{endpoint.dialect.url_rule}. A proxy or a sign-in page on the way can answer like this, "
        "too.",
    )


def unusable_base_url(base_url: str, dialect: Dialect) -> ModelError:
    """Say that a base URL is no address."""
    return ModelError(
        "not_configured",
        f"The base URL “{shown_url(base_url)}” is not an http or https address.",
        hint=f"Set {dialect.url_settings} to something like http://127.0.0.1:8080.",
    )


def unusable_client(endpoint: Endpoint, error: Exception) -> ModelError:
    """Say that the SDK cannot be loaded or set up here."""
    return ModelError(
        "not_configured",
        f"The client for {endpoint.name} cannot be set up: {_detail((error,), endpoint)}.",
        hint="Check SSL_CERT_FILE, HTTPS_PROXY and HTTP_PROXY in the environment; if a package is "
        "missing, install Pilotfish again.",
    )


def _described(body: str, endpoint: Endpoint) -> str:
    """Return what an answer is, for people."""
    line = " ".join(redact(body[:MAX_SCANNED_CHARS], endpoint.secrets).split())
    if not line:
        return "an empty answer"
    if not line.startswith("<"):
        shown = line[:MAX_SHOWN_CHARS]
        return f"“{shown}{'…' if len(shown) < len(line) else ''}”"
    title = _TITLE.search(line)
    return f"a page titled “{title[1][:MAX_SHOWN_CHARS].strip()}”" if title else "an HTML page"


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Walk an exception's causes, outermost first, groups included."""
    waiting, seen = [error], set[int]()
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting += cast(BaseExceptionGroup[BaseException], current).exceptions
        inner = current.__cause__ or current.__context__
        if inner is not None:
            waiting.append(inner)


_OTHER_PROTOCOL = ("WRONG_VERSION_NUMBER", "UNSUPPORTED_PROTOCOL", "PROTOCOL_VERSION")
"""How OpenSSL says that the other side speaks something else."""


def _connection_texts(causes: tuple[BaseException, ...], endpoint: Endpoint) -> tuple[str, str]:
    where = endpoint.name
    check_url = (
        "Check the network."
        if endpoint.is_default
        else f"Check the base URL ({endpoint.dialect.url_settings})."
    )
    names = {type(cause).__name__ for cause in causes}
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        host = urlsplit(endpoint.base_url).hostname or where
        return (
            f"The address of {host} could not be found.",
            f"There is no network, or the name is wrong. {check_url}",
        )
    if any(isinstance(cause, ssl.SSLError) for cause in causes):
        return (
            f"No secure connection to {where}: {_detail(causes, endpoint)}.",
            _tls_hint(causes, check_url),
        )
    if "ProxyError" in names:
        return (
            f"The proxy on the way to {where} refused the connection: {_detail(causes, endpoint)}.",
            "Check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY.",
        )
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return (
            f"Nothing answers at {where} (connection refused).",
            f"Start the server there. {check_url}"
            if not endpoint.is_default
            else "A firewall or proxy blocks the connection. Check the network.",
        )
    if names & {"ConnectTimeout", "APITimeoutError"}:
        return (
            f"{where} cannot be reached: no answer to the connection attempt.",
            f"The server is off or a firewall drops the connection. {check_url}",
        )
    return _other_texts(names, _detail(causes, endpoint), where, check_url)


def _other_texts(names: set[str], detail: str, where: str, check_url: str) -> tuple[str, str]:
    if names & {"RemoteProtocolError", "ReadError"}:
        return (
            f"{where} took the request and closed the connection: {detail}.",
            f"It may have failed: its log says why. {check_url}",
        )
    return f"No connection to {where}: {detail}.", check_url


def _tls_hint(causes: tuple[BaseException, ...], check_url: str) -> str:
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return (
            "The certificate is not trusted here. Behind a company proxy, add its certificate to "
            "the system's store or name it in SSL_CERT_FILE."
        )
    if any(reason in str(cause) for cause in causes for reason in _OTHER_PROTOCOL):
        return (
            "What answers there speaks no TLS, or another version of it; where it speaks none, "
            f"the address begins with http://. {check_url}"
        )
    return check_url


def _detail(causes: tuple[BaseException, ...], endpoint: Endpoint) -> str:
    """Return the innermost text that says something."""
    texts = [str(cause).strip().rstrip(".") for cause in causes]
    said = [text for text in texts if text]
    line = " ".join(redact(said[-1] if said else "it was closed", endpoint.secrets).split())
    return line[:MAX_DETAIL_CHARS]
