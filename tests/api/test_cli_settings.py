"""Settings that cannot be taken: one line that names the variable, never a secret, never a traceback."""

import pytest

from tests.api.cli import Invoke, alone, told, unchanged

__all__ = ["alone", "unchanged"]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "IMPRESSIONS_PORT",
            "99999",
            "error: IMPRESSIONS_PORT: Input should be less than or equal to 65535, not '99999'",
        ),
        (
            "IMPRESSIONS_LOG_LEVEL",
            "LOUD",
            "error: IMPRESSIONS_LOG_LEVEL: must be DEBUG, INFO, WARNING or ERROR, not 'LOUD'",
        ),
        ("NEO4J_URI", "bolt://127.0.0.1:1", "error: NEO4J_URI is set but NEO4J_PASSWORD is not"),
        ("IMPRESSIONS_ATTACH_THRESHOLD", "nan", "error: IMPRESSIONS_ATTACH_THRESHOLD: "),
    ],
)
def test_a_wrong_setting_is_one_line(
    alone: Invoke, monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    result = alone("export")
    assert result.exit_code == 5
    assert result.stderr.startswith(said)
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_programs_are_told_too(alone: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMPRESSIONS_PORT", "no number")
    result = alone("doctor", "--json")
    assert told(result)["error"]["exitCode"] == 5


def test_a_service_beyond_this_machine_needs_a_key(alone: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IMPRESSIONS_HOST", "0.0.0.0")
    result = alone("serve")
    assert result.exit_code == 5
    assert "IMPRESSIONS_API_KEY" in result.stderr
