"""Vectors as query parameters.

A list of floats crosses Bolt number by number: 1,500 vectors of 512 take 1.2 seconds (0.7 with the driver's Rust
extension). As a vector value, which a query unpacks with `toFloatList`, they take 0.07. Community's store formats
cannot keep vector values, so what is stored is the list.
"""

from collections.abc import Sequence

from neo4j.vector import Vector


def vector_parameter(numbers: Sequence[float]) -> Vector:
    """Return a vector as 32-bit floats for a parameter; a query stores `toFloatList($it)`."""
    return Vector(numbers, "f32")
