import { childAdded, childRemoved, parentAdded, parentRemoved } from '#activity/index.ts';
import { type Epic, findEpics } from '#authorization/epics.ts';
import type { Issue } from '#authorization/issues.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { namespacePaths } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { firstPosition, fullReference, GAP, type Line } from '../issuables/index.ts';

/** Which issues are in which epics (contract/planning.md §2.1): each in one at most. */

export interface Association {
  readonly id: number;
  readonly epic_id: number;
  readonly issue_id: number;
  readonly relative_position: number;
}

const columns = [
  'epic_issues.id',
  'epic_issues.epic_id',
  'epic_issues.issue_id',
  'epic_issues.relative_position',
] as const;

/** In which order people put the issues of an epic. */
export const lineOf = (epicId: number): Line => ({ table: 'epic_issues', of: 'epic_id', id: epicId });

/** An issue as it is put into an epic. */
export interface IssueInProject {
  readonly issue: Pick<Issue, 'id' | 'iid'>;
  readonly project: Project;
}

/** The epics that these issues are in. index: epic_issues_by_issue */
export const associationsOf = prepareForIds<Association>((db, ids) =>
  db.selectFrom('epic_issues').select(columns).where('epic_issues.issue_id', 'in', ids),
);

/** The association of this id, if it is one of the epic. index: epic_issues primary key */
export async function findAssociation(db: Reader, epicId: number, id: number): Promise<Association | null> {
  const found = await db
    .selectFrom('epic_issues')
    .select(columns)
    .where('epic_issues.id', '=', id)
    .where('epic_issues.epic_id', '=', epicId)
    .executeTakeFirst();
  return found ?? null;
}

/**
 * Puts an issue into an epic, at its front; out of another one it goes. Of several who do so at once one is the last,
 * whom the unique index decides. Failure when it is there already, or in an epic that nobody may change now.
 */
export async function relate(
  uow: UnitOfWork,
  epic: Pick<Epic, 'id' | 'iid' | 'group_id'>,
  child: IssueInProject,
): Promise<Association | Failure<'assigned' | 'archived'>> {
  const [before] = await associationsOf(uow, [child.issue.id]);
  if (before?.epic_id === epic.id) return fail('assigned');
  if (before !== undefined && (await isInArchived(uow, before))) return fail('archived');
  const association = await joinEpic(uow, epic.id, child.issue.id);
  if (association === undefined) return fail('assigned');
  if (before !== undefined) await tellRemoved(uow, before.epic_id, child);
  await tellAdded(uow, epic.id, child);
  return association;
}

/** The same, of which nobody hears; undefined: it is there already. */
export async function joinEpic(tx: Transaction, epicId: number, issueId: number): Promise<Association | undefined> {
  const position = ((await firstPosition(tx, lineOf(epicId))) ?? 0) - GAP;
  const placed = { epic_id: epicId, relative_position: position };
  return tx
    .insertInto('epic_issues')
    .values({ ...placed, issue_id: issueId })
    .onConflict((conflict) =>
      conflict.column('issue_id').doUpdateSet(placed).where('epic_issues.epic_id', '<>', epicId),
    )
    .returning(columns)
    .executeTakeFirst();
}

/** Takes an issue out of its epic. */
export async function unrelate(uow: UnitOfWork, { id, epic_id }: Association, child: IssueInProject): Promise<boolean> {
  const gone = await uow.deleteFrom('epic_issues').where('id', '=', id).returning('id').executeTakeFirst();
  if (gone !== undefined) await tellRemoved(uow, epic_id, child);
  return gone !== undefined;
}

/** Does it keep its issues, because its group is archived? */
export async function isInArchived(uow: UnitOfWork, { epic_id }: Association): Promise<boolean> {
  const [epic] = await findEpics(uow, [epic_id]);
  const group = epic && (await findGroup(uow, uow.actor, String(epic.group_id)));
  return group?.archived === true;
}

/** Gives the place of an issue in its epic to another one, if it is in any that somebody may change now. index: epic_issues_by_issue */
export async function handOnEpic(uow: UnitOfWork, fromIssueId: number, toIssueId: number): Promise<void> {
  const [before] = await associationsOf(uow, [fromIssueId]);
  if (before === undefined || (await isInArchived(uow, before))) return;
  await uow.updateTable('epic_issues').set({ issue_id: toIssueId }).where('issue_id', '=', fromIssueId).execute();
}

async function tellAdded(uow: UnitOfWork, epicId: number, child: IssueInProject): Promise<void> {
  await tell(uow, epicId, child, { ofEpic: childAdded, ofIssue: parentAdded });
}

async function tellRemoved(uow: UnitOfWork, epicId: number, child: IssueInProject): Promise<void> {
  await tell(uow, epicId, child, { ofEpic: childRemoved, ofIssue: parentRemoved });
}

interface Texts {
  readonly ofEpic: typeof childAdded;
  readonly ofIssue: typeof parentAdded;
}

/** A note on each side, for those who may read the other one. */
async function tell(uow: UnitOfWork, epicId: number, { issue, project }: IssueInProject, texts: Texts): Promise<void> {
  const [epic] = await findEpics(uow, [epicId]);
  if (epic === undefined) return;
  const path = (await namespacePaths(uow, [epic.group_id])).get(epic.group_id) ?? '';
  const parent = { type: 'Epic', id: epic.id } as const;
  const child = { type: 'Issue', id: issue.id } as const;
  const group = { full_path: path } as Group;
  const [ofParent, ofChild] = [
    fullReference({ ...parent, iid: epic.iid, group }),
    fullReference({ ...child, iid: issue.iid, project }),
  ];
  await uow.record({ noteOn: parent, text: texts.ofEpic(ofChild), mentioning: child });
  await uow.record({ noteOn: child, text: texts.ofIssue(ofParent), mentioning: parent });
}
