export function EntitiesView() { return null; }
