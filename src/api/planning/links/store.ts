import type { Selectable } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { findListedIssues, issueVisibleTo, type ListedIssue } from '#authorization/issues.ts';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import type { IssueLinkType } from '#database/tables/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { SeenFrom } from '../issuables/index.ts';

/** The rows of links. */

export type IssueLinkRow = Selectable<Schema['issue_links']>;

/** The most that an issue has. */
export const MOST_LINKS = 100;

/** All of an issue, the first one first: they are few. index: issue_links_by_source, issue_links_by_target */
export function linksOf(db: Reader, issueId: number): Promise<IssueLinkRow[]> {
  const those = (side: 'source_id' | 'target_id') => db.selectFrom('issue_links').selectAll().where(side, '=', issueId);
  return those('source_id').unionAll(those('target_id')).orderBy('id').execute();
}

/** One of the issue's. index: issue_links primary key */
export async function findLinkOf(db: Reader, issueId: number, id: number): Promise<IssueLinkRow | null> {
  const found = db
    .selectFrom('issue_links')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]));
  return (await found.executeTakeFirst()) ?? null;
}

/** The issue at the other end. */
export const otherEnd = ({ source_id, target_id }: IssueLinkRow, issueId: number): number =>
  source_id === issueId ? target_id : source_id;

/** What an issue has to do with another, seen from it. */
export interface Linked extends ListedIssue {
  readonly link: IssueLinkRow;
  readonly isSource: boolean;
  readonly seenFrom: SeenFrom;
}

/** From where references are read beside an issue of this project. */
export const seenFromProject = ({ id, namespace_id }: Project, issue: { readonly project_id: number }): SeenFrom =>
  issue.project_id === id ? 'project' : namespace_id;

/** The issues that this one is linked to and the caller may read, by link. index: issues primary key, projects primary key */
export async function listLinked(
  db: Reader,
  caller: Caller,
  { issue, project }: { readonly issue: { readonly id: number }; readonly project: Project },
): Promise<Linked[]> {
  const links = await linksOf(db, issue.id);
  if (links.length === 0) return [];
  const readable = await db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select('issues.id')
    .where(
      'issues.id',
      'in',
      links.map((link) => otherEnd(link, issue.id)),
    )
    .where(issueVisibleTo(caller, db.today))
    .execute();
  const issues = await findListedIssues(
    db,
    caller,
    readable.map(({ id }) => id),
  );
  const byId = new Map(issues.map((one) => [one.id, one]));
  return links.flatMap((link) => {
    const other = byId.get(otherEnd(link, issue.id));
    if (other === undefined) return [];
    return [{ ...other, link, isSource: link.source_id === issue.id, seenFrom: seenFromProject(project, other) }];
  });
}

interface NewLink {
  readonly source: number;
  readonly target: number;
  readonly type: IssueLinkType;
}

/** Undefined: they are linked already. */
export async function insertLink(
  tx: Transaction,
  { source, target, type }: NewLink,
): Promise<IssueLinkRow | undefined> {
  return (
    tx
      .insertInto('issue_links')
      .values({ source_id: source, target_id: target, link_type: type, created_at: tx.now, updated_at: tx.now })
      // index: issue_links_by_pair
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
  );
}

/** Was it there? index: issue_links primary key */
export async function deleteLinkRow(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('issue_links').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
