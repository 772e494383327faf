"""What a client gets when a request is refused before any GraphQL is executed."""

from collections.abc import Mapping

from starlette.responses import JSONResponse


def refuse(
    status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None, **extensions: object
) -> JSONResponse:
    """Return the refusal in the shape of a GraphQL error, so that clients have one place to look."""
    body = {"errors": [{"message": message, "extensions": {"code": code, **extensions}}]}
    return JSONResponse(body, status_code=status, headers=headers)
