/**
 * A resource with its own resource events and notes. Each type has a foreign key column in those tables, so that they
 * are deleted with the resource.
 */
export interface Resource<Type extends ResourceType = ResourceType> {
  readonly type: Type;
  readonly id: number;
}

export type ResourceType = 'Issue' | 'MergeRequest' | 'Epic';

/** Anything that can have notes: also a snippet, and a commit by the id of its row in the table of commented commits. */
export interface NoteTarget<Type extends NoteTargetType = NoteTargetType> {
  readonly type: Type;
  readonly id: number;
}

type NoteTargetType = ResourceType | 'Commit' | 'Snippet';

/** Anything whose notes notify users and make to-do items: all but snippets. */
export type NotificationTarget = NoteTarget<Exclude<NoteTargetType, 'Snippet'>>;

const COLUMNS = {
  Issue: 'issue_id',
  MergeRequest: 'merge_request_id',
  Epic: 'epic_id',
  Commit: 'commented_commit_id',
  Snippet: 'snippet_id',
} as const satisfies Record<NoteTargetType, string>;

const TABLES = { Issue: 'issues', MergeRequest: 'merge_requests', Epic: 'epics' } as const satisfies Record<
  ResourceType,
  string
>;

type Column<Type extends NoteTargetType> = (typeof COLUMNS)[Type];

/** Returns the foreign key column for resources of this type. */
export function getForeignKeyColumn<Type extends NoteTargetType>(type: Type): Column<Type> {
  return COLUMNS[type];
}

/** Returns the table of resources of this type. */
export function getResourceTable(type: ResourceType): (typeof TABLES)[ResourceType] {
  return TABLES[type];
}

/** Returns the foreign key column and its value for a new row. */
export function toResourceColumns<Type extends NoteTargetType>({ type, id }: NoteTarget<Type>) {
  return { [getForeignKeyColumn(type)]: id } as { readonly [Name in Column<Type>]?: number };
}

type ResourceRow<Type extends NoteTargetType> = { readonly [Name in Column<Type>]?: number | null };

/** Returns the resource that a row refers to. */
export function toResource(row: ResourceRow<ResourceType>): Resource {
  const { type, id } = toNoteTarget(row);
  if (type === 'Commit' || type === 'Snippet') throw new Error(`The row refers to a ${type}, not to a resource`);
  return { type, id };
}

/** Returns the resource, commit or snippet that a note is on. */
export function toNoteTarget(row: ResourceRow<NoteTargetType>): NoteTarget {
  const type = (Object.keys(COLUMNS) as NoteTargetType[]).find((candidate) => row[COLUMNS[candidate]] != null);
  if (type === undefined) throw new Error('The row refers to no resource');
  return { type, id: row[COLUMNS[type]]! };
}

/** Returns the resource or commit that a row refers to. */
export function toNotificationTarget(row: ResourceRow<NotificationTarget['type']>): NotificationTarget {
  const { type, id } = toNoteTarget(row);
  if (type === 'Snippet') throw new Error('The row refers to a snippet, whose notes notify nobody');
  return { type, id };
}

/** Returns the columns of a system note that refer to the mentioned resource. */
export function toMentioningColumns({ type, id }: Resource) {
  return { [`mentioning_${getForeignKeyColumn(type)}`]: id } as {
    readonly [Name in `mentioning_${Column<ResourceType>}`]?: number;
  };
}
