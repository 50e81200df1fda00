/**
 * What has a history of its own besides the feed. Each kind has a column in the tables that tell of it, so
 * that what is told goes with the thing.
 */
export interface Resource<Type extends ResourceType = ResourceType> {
  readonly type: Type;
  readonly id: number;
}

export type ResourceType = 'Issue' | 'MergeRequest' | 'Epic';

const COLUMNS = {
  Issue: 'issue_id',
  MergeRequest: 'merge_request_id',
  Epic: 'epic_id',
} as const satisfies Record<ResourceType, string>;

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Epic: 'epics' } as const satisfies Record<
  ResourceType,
  string
>;

type Column<Type extends ResourceType> = (typeof COLUMNS)[Type];

/** The column that names resources of this kind. */
export function columnOf<Type extends ResourceType>(type: Type): Column<Type> {
  return COLUMNS[type];
}

/** Where resources of this kind are. */
export function tableOf(type: ResourceType): (typeof TABLES)[ResourceType] {
  return TABLES[type];
}

/** What a row says of whose it is. */
export function ofResource<Type extends ResourceType>({ type, id }: Resource<Type>) {
  return { [columnOf(type)]: id } as { readonly [Name in Column<Type>]?: number };
}

/** Whose a row is. */
export function resourceOfRow(row: { readonly [Name in Column<ResourceType>]?: number | null }): Resource {
  const type = (Object.keys(COLUMNS) as ResourceType[]).find((one) => row[COLUMNS[one]] != null);
  if (type === undefined) throw new Error('a row of nothing');
  return { type, id: row[COLUMNS[type]]! };
}

/** What a note says of the other thing that it names. */
export function namingResource({ type, id }: Resource) {
  return { [`mentioning_${columnOf(type)}`]: id } as {
    readonly [Name in `mentioning_${Column<ResourceType>}`]?: number;
  };
}
