import type { Caller } from '#authentication/caller.ts';
import { findIssuesForList, issueVisibleTo, type ListedIssue } from '#authorization/issues.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import type { IssueLinkType } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { ReferenceContext } from '../issuables/index.ts';

export type IssueLinkRow = Columns<'issue_links'>;

/** Maximum number of links of an issue. */
export const MAX_LINKS = 100;

/** Loads all links of an issue, oldest first; at most `MAX_LINKS`. index: issue_links_by_source, issue_links_by_target */
export function loadLinksOfIssue(db: Reader, issueId: number): Promise<IssueLinkRow[]> {
  const selectLinksBySide = (sideColumn: 'source_id' | 'target_id') =>
    db.selectFrom('issue_links').selectAll().where(sideColumn, '=', issueId);
  return selectLinksBySide('source_id').unionAll(selectLinksBySide('target_id')).orderBy('id').execute();
}

/** Returns the link with this id if it belongs to the issue, else null. index: issue_links primary key */
export async function findLinkOfIssue(db: Reader, issueId: number, id: number): Promise<IssueLinkRow | null> {
  const query = db
    .selectFrom('issue_links')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('source_id', '=', issueId), eb('target_id', '=', issueId)]));
  return (await query.executeTakeFirst()) ?? null;
}

/** Returns the id of the issue at the other end. */
export const getOtherIssueId = ({ source_id, target_id }: IssueLinkRow, issueId: number): number =>
  source_id === issueId ? target_id : source_id;

/** A linked issue with its link. */
export interface LinkedIssueRow extends ListedIssue {
  readonly link: IssueLinkRow;
  readonly isSource: boolean;
  readonly referenceContext: ReferenceContext;
}

/** Returns the reference context for an issue that is linked to an issue of this project. */
export const getReferenceContext = (
  { id, namespace_id }: Project,
  issue: { readonly project_id: number },
): ReferenceContext => (issue.project_id === id ? 'project' : namespace_id);

/** Lists the linked issues that the caller may read, ordered by link id. index: issues primary key, projects primary key */
export async function listLinkedIssues(
  db: Reader,
  caller: Caller,
  { issue, project }: { readonly issue: { readonly id: number }; readonly project: Project },
): Promise<LinkedIssueRow[]> {
  const links = await loadLinksOfIssue(db, issue.id);
  if (links.length === 0) return [];
  const readableIssues = await db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select('issues.id')
    .where(
      'issues.id',
      'in',
      links.map((link) => getOtherIssueId(link, issue.id)),
    )
    .where(issueVisibleTo(caller, db.today))
    .execute();
  const issues = await findIssuesForList(
    db,
    caller,
    readableIssues.map(({ id }) => id),
  );
  const issuesById = new Map(issues.map((linkedIssue) => [linkedIssue.id, linkedIssue]));
  return links.flatMap((link) => {
    const otherIssue = issuesById.get(getOtherIssueId(link, issue.id));
    if (otherIssue === undefined) return [];
    return [
      {
        ...otherIssue,
        link,
        isSource: link.source_id === issue.id,
        referenceContext: getReferenceContext(project, otherIssue),
      },
    ];
  });
}

interface NewLinkRow {
  readonly sourceId: number;
  readonly targetId: number;
  readonly type: IssueLinkType;
}

/** Inserts a link. Returns undefined if the issues are already linked. */
export async function insertLink(
  tx: Transaction,
  { sourceId, targetId, type }: NewLinkRow,
): Promise<IssueLinkRow | undefined> {
  return (
    tx
      .insertInto('issue_links')
      .values({ source_id: sourceId, target_id: targetId, link_type: type, created_at: tx.now, updated_at: tx.now })
      // index: issue_links_by_pair
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
  );
}

/** Deletes a link. Returns whether it existed. index: issue_links primary key */
export async function deleteLinkRow(tx: Transaction, id: number): Promise<boolean> {
  return (await tx.deleteFrom('issue_links').where('id', '=', id).returning('id').executeTakeFirst()) !== undefined;
}
