"""Where a cloud serves the Messages API, and as whom we sign in.

Owns: the settings of Bedrock, Vertex and Foundry, and their names in texts for people. Pure.
Does not own: reading environment and settings files (the caller does), signing in
(``anthropic_clouds``), what is wrong with a choice (``llm.check_choice``).
"""

from typing import Literal, TypeAlias

from pilotfish.llm.providers.endpoint import Dialect, Endpoint, build_endpoint
from pilotfish.util.records import dataclass

CloudName: TypeAlias = Literal["bedrock", "vertex", "foundry"]

_MODEL_EXAMPLES = "as the cloud's own list of models names it"

BEDROCK = Dialect(
    api="Anthropic Messages API on Bedrock",
    path="/model/<model>/invoke",
    url_settings="ANTHROPIC_BEDROCK_BASE_URL or the setting pilotfish.model.baseUrl",
    model_variable="ANTHROPIC_MODEL",
    url_rule="the address of a Bedrock runtime",
    key_settings="AWS_BEARER_TOKEN_BEDROCK, or sign in with AWS_PROFILE or AWS_ACCESS_KEY_ID",
    vendor="Amazon Bedrock",
    model_examples=_MODEL_EXAMPLES,
)
VERTEX = Dialect(
    api="Anthropic Messages API on Vertex AI",
    path="/projects/<project>/locations/<region>/publishers/anthropic/models/<model>",
    url_settings="ANTHROPIC_VERTEX_BASE_URL or the setting pilotfish.model.baseUrl",
    model_variable="ANTHROPIC_MODEL",
    url_rule="the address of Vertex AI, with /v1",
    key_settings="GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
    vendor="Google Vertex AI",
    model_examples=_MODEL_EXAMPLES,
)
FOUNDRY = Dialect(
    api="Anthropic Messages API on Foundry",
    path="/v1/messages",
    url_settings="ANTHROPIC_FOUNDRY_BASE_URL or the setting pilotfish.model.baseUrl",
    model_variable="ANTHROPIC_MODEL",
    url_rule="the address of a Foundry resource that ends in /anthropic, without /v1",
    key_settings="ANTHROPIC_FOUNDRY_API_KEY",
    vendor="Microsoft Foundry",
    model_examples="as the resource names its deployment",
)
_DIALECTS: dict[CloudName, Dialect] = {"bedrock": BEDROCK, "vertex": VERTEX, "foundry": FOUNDRY}

_VERTEX_HOSTS = {
    "global": "aiplatform.googleapis.com",
    "us": "aiplatform.us.rep.googleapis.com",
    "eu": "aiplatform.eu.rep.googleapis.com",
}
"""Places that are no single region."""


@dataclass(frozen=True, kw_only=True)
class CloudSettings:
    """How to reach a cloud. What is empty was not set."""

    name: CloudName
    base_url: str = ""
    """Another address than the cloud's own."""
    region: str = ""
    """Bedrock, Vertex."""
    profile: str = ""
    """Bedrock: whose credentials of the AWS configuration are used without a key."""
    project: str = ""
    """Vertex."""
    resource: str = ""
    """Foundry: the part of the address that is the user's own."""
    key: str = ""
    """Bedrock, Foundry. Without one Bedrock signs with AWS credentials."""

    def __repr__(self) -> str:
        """Leave out every secret."""
        return f"CloudSettings({self.name}, {self.endpoint().name})"

    @property
    def address(self) -> str:
        """Return where requests go."""
        if self.base_url:
            return self.base_url
        match self.name:
            case "bedrock":
                return f"https://bedrock-runtime.{self.region}.amazonaws.com"
            case "vertex":
                host = _VERTEX_HOSTS.get(self.region, f"{self.region}-aiplatform.googleapis.com")
                return f"https://{host}/v1"
            case "foundry":
                return f"https://{self.resource}.services.ai.azure.com/anthropic/"

    def endpoint(self) -> Endpoint:
        """Return what messages may say about the address and the key."""
        return build_endpoint(
            _DIALECTS[self.name],
            self.address,
            is_default=not self.base_url,
            key_source=self._key_source(),
            keys=(self.key,),
        )

    def _key_source(self) -> str:
        match self.name:
            case "bedrock":
                return "AWS_BEARER_TOKEN_BEDROCK" if self.key else "the AWS credentials"
            case "vertex":
                return "the Google credentials"
            case "foundry":
                return "ANTHROPIC_FOUNDRY_API_KEY" if self.key else ""
