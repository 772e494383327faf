import pytest

from tests.resolvers.update.updating import Updating
from tests.resolvers.world import World


@pytest.fixture
def updating(world: World) -> Updating:
    return Updating(world)
