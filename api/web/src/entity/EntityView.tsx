export function EntityView({ uuid }: { uuid: string }) { return <p>{uuid}</p>; }
