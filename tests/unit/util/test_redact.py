"""What leaves the machine holds no secrets."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.util.redact import HIDDEN, Redactor

KEY = "sk-ant-" + "api03-" + "a1B2" * 8


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "ghp_" + "x1" * 18,
        "github_pat_" + "A1b2" * 6,
        "AKIA" + "ABCDEFGHIJKLMNOP",
        "xoxb-" + "1234567890-abc",
        "npm_" + "a" * 36,
        "eyJhbGciOiJIUzI1" + ".eyJzdWIiOiIxMjM0" + ".abc",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nMIIE cut off",
    ],
)
def test_what_has_the_shape_of_a_secret_goes(secret: str) -> None:
    text = Redactor().text(f"before {secret} after")
    assert secret not in text
    assert text.startswith(f"before {HIDDEN}")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Authorization: Bearer abcdef0123456789abcdef", f"Authorization: Bearer {HIDDEN}"),
        ("API_KEY=hunter2hunter2", f"API_KEY={HIDDEN}"),
        ('{"client_secret": "hunter22"}', f'{{"client_secret": "{HIDDEN}"}}'),
        (r"{\"password\": \"hunter22\"}", rf"{{\"password\": \"{HIDDEN}\"}}"),
        ("https://ann:pw12@host/x", "https://host/x"),
        ("/home/ann/project and /home/anna", "~/project and /home/anna"),
        ("the token is counted, a secret meeting", "the token is counted, a secret meeting"),
        ("git log --oneline", "git log --oneline"),
    ],
)
def test_texts(before: str, after: str) -> None:
    assert Redactor(home=Path("/home/ann")).text(before) == after


@given(st.text(), st.text(alphabet="abc123XYZ!?", min_size=8, max_size=40), st.text())
def test_a_known_secret_is_never_left(before: str, secret: str, after: str) -> None:
    assert secret not in Redactor(secrets=[secret]).text(f"{before}{secret}{after}")


def test_the_home_folder_can_get_another_name() -> None:
    redactor = Redactor(home=Path("/home/ann"))
    assert redactor.naming_home("/home/user").text("/home/ann/a") == "/home/user/a"
    assert redactor.text("/home/ann/a") == "~/a"
