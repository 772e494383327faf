"""What cannot work is said at once, with the next step, before a model is loaded for it."""

from pathlib import Path

import pytest

from api.settings import Settings
from api.wiring import open_service
from graph.errors import ImpressionsError, LoginRefused, SetupError
from graph.neo4j_home import Home
from tests.servers import brief_server


class ModelLoadedError(AssertionError):
    """The model was loaded for nothing."""


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(_name: str) -> None:
        raise ModelLoadedError

    monkeypatch.setattr("api.wiring.load_embedder", load)
    for name in ("URI", "PASSWORD"):
        monkeypatch.delenv(f"NEO4J_{name}", raising=False)


async def refusal(home: Path) -> ImpressionsError:
    with pytest.raises(ImpressionsError) as refused:
        async with open_service(Settings(home=home)):
            pass
    return refused.value


async def test_a_lost_password_and_a_lock_that_is_a_folder(tmp_path: Path) -> None:
    (Home(tmp_path).data / "databases" / "system").mkdir(parents=True)
    lost = await refusal(tmp_path)
    assert isinstance(lost, SetupError)
    assert "Put the password back" in str(lost)
    (tmp_path / "server.lock").mkdir()
    assert f"{tmp_path / 'server.lock'} is a folder" in str(await refusal(tmp_path))


@pytest.mark.slow
async def test_a_wrong_password_of_a_managed_server_that_runs(tmp_path: Path) -> None:
    server = brief_server(tmp_path)
    await server.start_pinned()
    try:
        Home(tmp_path).password.write_text("of another database\n")
        wrong = await refusal(tmp_path)
        assert isinstance(wrong, LoginRefused)
        assert str(tmp_path / "password") in str(wrong)
        assert "NEO4J_PASSWORD" not in str(wrong), "that is of another Neo4j"
        assert (await server.status()).attached_pids == ()
    finally:
        await server.stop(force=True)
