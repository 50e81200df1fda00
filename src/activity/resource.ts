/**
 * What has a history of its own besides the feed. Each kind has a column in the tables that tell of it, so
 * that what is told goes with the thing.
 */
export interface Resource<Type extends ResourceType = ResourceType> {
  readonly type: Type;
  readonly id: number;
}

export type ResourceType = 'Issue' | 'MergeRequest' | 'Epic';

/** What people talk about: a commit too, by its number among those on which something has been said. */
export interface Noted<Type extends NotedType = NotedType> {
  readonly type: Type;
  readonly id: number;
}

export type NotedType = ResourceType | 'Commit';

const COLUMNS = {
  Issue: 'issue_id',
  MergeRequest: 'merge_request_id',
  Epic: 'epic_id',
  Commit: 'commented_commit_id',
} as const satisfies Record<NotedType, string>;

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Epic: 'epics' } as const satisfies Record<
  ResourceType,
  string
>;

type Column<Type extends NotedType> = (typeof COLUMNS)[Type];

/** The column that names things of this kind. */
export function columnOf<Type extends NotedType>(type: Type): Column<Type> {
  return COLUMNS[type];
}

/** Where resources of this kind are. */
export function tableOf(type: ResourceType): (typeof TABLES)[ResourceType] {
  return TABLES[type];
}

/** What a row says of whose it is. */
export function ofResource<Type extends NotedType>({ type, id }: Noted<Type>) {
  return { [columnOf(type)]: id } as { readonly [Name in Column<Type>]?: number };
}

type RowOf<Type extends NotedType> = { readonly [Name in Column<Type>]?: number | null };

/** Whose a row is. */
export function resourceOfRow(row: RowOf<ResourceType>): Resource {
  const { type, id } = notedOfRow(row);
  if (type === 'Commit') throw new Error('a row of a commit');
  return { type, id };
}

/** What a note is on. */
export function notedOfRow(row: RowOf<NotedType>): Noted {
  const type = (Object.keys(COLUMNS) as NotedType[]).find((one) => row[COLUMNS[one]] != null);
  if (type === undefined) throw new Error('a row of nothing');
  return { type, id: row[COLUMNS[type]]! };
}

/** What a note says of the other thing that it names. */
export function namingResource({ type, id }: Resource) {
  return { [`mentioning_${columnOf(type)}`]: id } as {
    readonly [Name in `mentioning_${Column<ResourceType>}`]?: number;
  };
}
