import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { ServerData } from '../server-data.ts';

/** An inconsistency in the data of a server. */
export interface Finding {
  readonly text: string;
  /** Absent: no safe repair without the lost data. */
  readonly repair?: Repair;
}

export interface Repair {
  /** Description of the repair as a verb phrase: `reindex issues_by_iid`. */
  readonly text: string;
  /** Returns false if the repair turns out to be impossible. */
  run(): Promise<boolean>;
}

/** The data and services for checks; the server may be running. */
export interface CheckContext extends ServerData {
  readonly runUnitOfWork: RunUnitOfWork;
}

/** A check, which yields its findings one by one. */
export interface Check {
  /** Value of the option `--only` of `hearth doctor`. */
  readonly name: string;
  run(context: CheckContext): AsyncIterable<Finding>;
}

/** Returns the message of an error in one line. */
export function describeError(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
}

/** Age in milliseconds after which unfinished work counts as abandoned. */
export const ABANDONED_AFTER_MS = 24 * 3_600_000;

/** Describes a project or group by its full path, such as `project group/tool`; by its id if it has no path. */
export async function describeParent(
  { database }: CheckContext,
  column: 'project_id' | 'group_id',
  id: number,
): Promise<string> {
  // index: routes_by_project, routes_by_namespace
  const route = await database.reader
    .selectFrom('routes')
    .select('full_path')
    .where(column === 'group_id' ? 'namespace_id' : 'project_id', '=', id)
    .executeTakeFirst();
  return `${column === 'group_id' ? 'group' : 'project'} ${route?.full_path ?? id}`;
}

/**
 * Describes the owner of a repository: `project group/tool`, `wiki of group tools`, `snippet 7`. `table` is the table of its location:
 * `repositories`, whose rows have the ids of projects, `wikis` or `snippets`.
 */
export async function describeOwner(context: CheckContext, table: string, id: number): Promise<string> {
  if (table === 'repositories') return describeParent(context, 'project_id', id);
  if (table !== 'wikis') return `${table.replace(/s$/, '')} ${id}`;
  // index: wikis primary key
  const wiki = await context.database.reader
    .selectFrom('wikis')
    .select(['project_id', 'group_id'])
    .where('wiki_id', '=', id)
    .executeTakeFirst();
  if (wiki?.project_id != null) return `wiki of ${await describeParent(context, 'project_id', wiki.project_id)}`;
  return wiki?.group_id == null ? `wiki ${id}` : `wiki of ${await describeParent(context, 'group_id', wiki.group_id)}`;
}
