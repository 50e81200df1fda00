/**
 * What has a history of its own besides the feed: today issues. Each kind has a column in the tables that tell of it, so
 * that what is told goes with the thing.
 */
export interface Resource {
  readonly type: ResourceType;
  readonly id: number;
}

export type ResourceType = 'Issue';

const COLUMNS = { Issue: 'issue_id' } as const satisfies Record<ResourceType, string>;

/** The column that names resources of this kind. */
export function columnOf(type: ResourceType): (typeof COLUMNS)[ResourceType] {
  return COLUMNS[type];
}

/** What a row says of whose it is. */
export function ofResource({ type, id }: Resource): { readonly issue_id: number | null } {
  return { [columnOf(type)]: id } as { issue_id: number | null };
}
