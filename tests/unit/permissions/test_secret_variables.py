"""Commands that show the environment: secrets of the user's reach the model only when agreed to."""

from pathlib import Path

import pytest
from pilotfish.util.secret_variables import looks_secret, secret_variables

from tests.support.permission_state import Judge

ENVIRONMENT = {
    "GITHUB_TOKEN": "abc123def",
    "DATABASE_URL": "postgres://me:pw@db/x",
    "HOME": "/home/me",
    "PATH": "/usr/bin",
}


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path).set(secret_variables=secret_variables(ENVIRONMENT))


@pytest.mark.parametrize(
    "command",
    [
        "env",
        "env | sort | grep -i path",
        "env -0",
        "printenv",
        "printenv GITHUB_TOKEN",
        "printenv HOME GITHUB_TOKEN",
        "echo $GITHUB_TOKEN",
        'printf "%s" "x${GITHUB_TOKEN}y"',
        "cat <<< $GITHUB_TOKEN",
        "cat <<EOF\n$DATABASE_URL\nEOF",
        "LANG=$GITHUB_TOKEN ls",
        'true && echo "${DATABASE_URL}"',
        "timeout 5 printenv",
        "awk 'BEGIN { print ENVIRON[\"GITHUB_TOKEN\"] }'",
        "jq -n env",
        "jq -n '$ENV.GITHUB_TOKEN'",
    ],
)
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "autoInProject", "work"])
def test_what_shows_a_secret_asks_and_names_it(judge: Judge, command: str, mode: str) -> None:
    decision = judge.set(mode=mode).bash(command)
    assert decision.behavior == "ask"
    assert "variables that look like secrets" in decision.reason
    assert "GITHUB_TOKEN" in decision.reason or "DATABASE_URL" in decision.reason


@pytest.mark.parametrize(
    "command",
    [
        "printenv HOME",
        "echo $HOME",
        "echo $UNSET_TOKEN",
        "echo '$GITHUB_TOKEN'",
        r"echo \$GITHUB_TOKEN",
        "cat <<'EOF'\n$GITHUB_TOKEN\nEOF",
        "awk '{ print $1 }' a.txt",
        "jq .env a.json | cat",
        "grep env a.txt",
    ],
)
def test_what_shows_none_stays_convenient(judge: Judge, command: str) -> None:
    assert judge.bash(command).behavior == "allow"


@pytest.mark.parametrize("command", ["env", "printenv", "env | sort"])
def test_an_environment_without_secrets_may_be_shown(judge: Judge, command: str) -> None:
    assert judge.set(secret_variables=frozenset()).bash(command).behavior == "allow"


def test_a_rule_of_the_user_allows_it_and_nobody_to_ask_means_no(judge: Judge) -> None:
    assert judge.set(can_ask=False).bash("env").behavior == "deny"
    assert judge.rules(allow=["Bash(env)"]).bash("env").behavior == "allow"


@pytest.mark.parametrize(
    ("name", "value", "secret"),
    [
        ("GITHUB_TOKEN", "x1234567", True),
        ("npm_config_authToken", "x1234567", True),
        ("AWS_SECRET_ACCESS_KEY", "x1234567", True),
        ("AWS_ACCESS_KEY_ID", "AKIAABCDEFGHIJKLMNOP", True),
        ("DB_PASSWORD", "pw", True),
        ("SENTRY_DSN", "https://x@o1.ingest.sentry.io/1", True),
        ("MY_API_KEY", "x1234567", True),
        ("PLAIN", "ghp_abcdefghijklmnopqrstuvwxyz", True),
        ("HTTPS_PROXY", "http://me:pw@proxy:8080", True),
        ("HTTPS_PROXY", "http://proxy:8080", False),
        ("MAX_TOKENS", "4096", False),
        ("TOKENIZERS_PARALLELISM", "false", False),
        ("SSH_AUTH_SOCK", "/run/user/1000/ssh", False),
        ("XAUTHORITY", "/home/me/.Xauthority", False),
        ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1000/bus", False),
        ("GOOGLE_APPLICATION_CREDENTIALS_FILE", "/home/me/x.json", False),
        ("GITHUB_TOKEN", "", False),
        ("PWD", "/home/me", False),
        ("KEYBOARD", "us", False),
    ],
)
def test_which_variables_look_secret(name: str, value: str, secret: bool) -> None:
    assert looks_secret(name, value) is secret
