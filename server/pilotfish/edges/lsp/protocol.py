"""pygls's protocol with the agent channel beside it.

Owns: telling the agent channel's messages from LSP's. pygls would rename keys of their parameters,
drop some, and take any nested object with a ``jsonrpc`` key for a message, so they never reach it.
Does not own: the agent channel (``edges.lsp.channel``), documents (pygls's workspace).
"""

import logging
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from pilotfish.edges.channel import (
    INVALID_REQUEST,
    RAW_PREFIXES,
    AgentChannel,
    cancelled_id,
    envelope_problem,
    refusal_of,
)
from pilotfish.edges.lsp.documents import SyncedWorkspace
from pilotfish.edges.lsp.strict_types import describe_unreadable
from pilotfish.edges.output import OutputWriter
from pilotfish.util import strict_json

logger = logging.getLogger(__name__)


NEEDED_OF_INITIALIZE = ("processId", "rootUri", "rootPath", "workspaceFolders")
"""What ``edges.lsp.greeting_check`` has looked at, and the server cannot do without."""


class AgentProtocol(LanguageServerProtocol):
    """LSP by pygls; the agent channel's messages go past it."""

    frames: OutputWriter | None = None
    """Where messages go; None while the handshake is replayed."""
    channel: AgentChannel | None = None

    @property
    def was_shut_down(self) -> bool:
        """Whether the client has sent ``shutdown``."""
        return self._shutdown

    def replay(self, initialize: dict[str, Any]) -> None:
        """Take the ``initialize`` that was answered already.

        What of it cannot be read is left out and logged: an editor that is newer than the protocol's
        types is served all the same.
        """
        self.handle_message(self._structured_initialize(initialize))
        # From now on documents are kept our way.
        self._workspace = SyncedWorkspace.instead_of(self.workspace)

    def _structured_initialize(self, message: dict[str, Any]) -> Any:
        params: dict[str, Any] = message["params"]
        readable: dict[str, Any] = {}
        for name, value in params["capabilities"].items():
            one = {**message, "params": {"capabilities": {name: value}}}
            problem = self._problem_of(one)
            if problem:
                logger.warning("capabilities.%s of the editor is left out: %s", name, problem)
            else:
                readable[name] = value
        whole = {**message, "params": {**params, "capabilities": readable}}
        problem = self._problem_of(whole)
        if problem:
            logger.warning("of initialize only what is needed is taken: %s", problem)
            needed = {name: params[name] for name in NEEDED_OF_INITIALIZE if name in params}
            whole["params"] = {**needed, "capabilities": readable}
        return self._converter.structure(whole, types.InitializeRequest)

    def _problem_of(self, initialize: dict[str, Any]) -> str:
        """Return what of it the protocol's types cannot hold; empty when they can."""
        try:
            self._converter.structure(initialize, types.InitializeRequest)
        except (ExceptionGroup, ValueError, TypeError, LookupError, AttributeError) as error:
            return describe_unreadable(error)
        return ""

    def receive(self, message: dict[str, Any]) -> None:
        """Take one message from the client."""
        problem = envelope_problem(message)
        if problem:
            logger.warning("dropped %s: %s", message.get("method", "a message"), problem)
            refuse = refusal_of if self.channel is None else self.channel.refuse
            self._send_data(refuse(message, problem))
            return
        refusal = self._refusal_for(message.get("method"))
        if refusal:
            logger.warning("dropped %s: %s", message["method"], refusal)
            if "id" in message:
                error = {"code": INVALID_REQUEST, "message": refusal}
                self._send_data({"jsonrpc": "2.0", "id": message["id"], "error": error})
            return
        channel = self.channel
        method = message.get("method")
        if channel is not None and self._is_for_channel(channel, method, message):
            channel.receive(message)
            return
        try:
            structured: Any = self.structure_message(message)
            self.handle_message(structured)
        except JsonRpcException as error:
            self._refuse(message, error)

    def _refusal_for(self, method: object) -> str:
        """Return why a method may not be called now; empty when it may."""
        if method is not None and self.was_shut_down:
            return "The server is shutting down."
        if method == types.INITIALIZE:
            return "The server is initialized already."  # again, it would forget what is open
        return ""

    def _is_for_channel(
        self, channel: AgentChannel, method: object, message: dict[str, Any]
    ) -> bool:
        if isinstance(method, str):
            return method.startswith(RAW_PREFIXES) or (
                method == types.CANCEL_REQUEST and channel.is_running(cancelled_id(message))
            )
        return channel.is_waiting(message.get("id"))

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        """Cancel a request of the editor; one that is answered already is no fault of anybody's.

        An editor cancels what it does not need any more, such as lenses of a document that is just being
        read in, and its word may cross with the answer.
        """
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)
        else:
            logger.debug("the cancel of request %s crossed with its answer", msg_id)

    def _refuse(self, message: dict[str, Any], error: JsonRpcException) -> None:
        """Answer a message whose parameters are not what LSP says."""
        if "id" in message and "method" in message:
            cause = error.__cause__
            refused = type(error)(message=f"{error.message}: {describe_unreadable(cause)}")
            self._send_response(message["id"], error=refused.to_response_error())
        elif "id" in message:  # an answer that cannot be read is a failure of what was asked
            self._handle_response(message["id"], error=error.to_response_error())
        else:
            logger.warning("dropped %s: %s", message.get("method"), error)

    def _send_data(self, data: Any) -> None:
        if self.frames is not None and data:
            self.frames.write(strict_json.encode(data, self._serialize_message))
