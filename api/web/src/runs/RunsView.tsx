export function RunsView({ id }: { id?: string }) { return <p>{id}</p>; }
