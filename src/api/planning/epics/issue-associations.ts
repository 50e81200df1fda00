import { childAddedText, childRemovedText, parentAddedText, parentRemovedText } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { type Epic, epicVisibleTo, findEpics } from '#authorization/epics.ts';
import type { Issue } from '#authorization/issues.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { findGroup, type Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { loadNamespacePaths } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { buildFullReference, findFirstPosition, type OrderedList, POSITION_GAP } from '../issuables/index.ts';

/** Row that links an issue to its epic. An issue has at most one epic (contract/planning.md §2.1). */
export type EpicIssueAssociation = Columns<'epic_issues'>;

const columns = [
  'epic_issues.id',
  'epic_issues.epic_id',
  'epic_issues.issue_id',
  'epic_issues.relative_position',
] as const;

/** The manual order of an epic's issues. */
export const toEpicIssueList = (epicId: number): OrderedList => ({
  table: 'epic_issues',
  parentColumn: 'epic_id',
  parentId: epicId,
});

/** An issue with its project. */
export interface IssueInProject {
  readonly issue: Pick<Issue, 'id' | 'iid'>;
  readonly project: Project;
}

/** Loads the associations of these issues. index: epic_issues_by_issue */
export const loadEpicIssueAssociations = prepareForIds<EpicIssueAssociation>((db, ids) =>
  db.selectFrom('epic_issues').select(columns).where('epic_issues.issue_id', 'in', ids),
);

/** Returns the association with this id if it belongs to the epic, else null. index: epic_issues primary key */
export async function findEpicIssueAssociation(
  db: Reader,
  epicId: number,
  id: number,
): Promise<EpicIssueAssociation | null> {
  const rows = await db
    .selectFrom('epic_issues')
    .select(columns)
    .where('epic_issues.id', '=', id)
    .where('epic_issues.epic_id', '=', epicId)
    .executeTakeFirst();
  return rows ?? null;
}

/**
 * Adds an issue to an epic, before the epic's other issues, and removes it from its current epic. The unique index serializes
 * concurrent calls. Fails with `alreadyInEpic` if the issue is already in the epic, and with `archived` if its current epic is in an
 * archived group.
 */
export async function addIssueToEpic(
  uow: UnitOfWork,
  epic: Pick<Epic, 'id' | 'iid' | 'group_id'>,
  child: IssueInProject,
): Promise<EpicIssueAssociation | Failure<'alreadyInEpic' | 'archived'>> {
  const [currentAssociation] = await loadEpicIssueAssociations(uow, [child.issue.id]);
  if (currentAssociation?.epic_id === epic.id) return fail('alreadyInEpic');
  if (currentAssociation !== undefined && (await isEpicArchived(uow, currentAssociation))) return fail('archived');
  const association = await upsertEpicIssueAssociation(uow, epic.id, child.issue.id);
  if (association === undefined) return fail('alreadyInEpic');
  if (currentAssociation !== undefined) await recordNotes(uow, currentAssociation.epic_id, child, REMOVED_TEXTS);
  await recordNotes(uow, epic.id, child, ADDED_TEXTS);
  return association;
}

/** Upserts the association of the issue, without system notes. Returns undefined if the issue is already in the epic. */
export async function upsertEpicIssueAssociation(
  tx: Transaction,
  epicId: number,
  issueId: number,
): Promise<EpicIssueAssociation | undefined> {
  const position = ((await findFirstPosition(tx, toEpicIssueList(epicId))) ?? 0) - POSITION_GAP;
  const columnValues = { epic_id: epicId, relative_position: position };
  return tx
    .insertInto('epic_issues')
    .values({ ...columnValues, issue_id: issueId })
    .onConflict((conflict) =>
      conflict.column('issue_id').doUpdateSet(columnValues).where('epic_issues.epic_id', '<>', epicId),
    )
    .returning(columns)
    .executeTakeFirst();
}

/** Removes an issue from its epic. Returns whether the association existed. */
export async function removeIssueFromEpic(
  uow: UnitOfWork,
  { id, epic_id }: EpicIssueAssociation,
  child: IssueInProject,
): Promise<boolean> {
  const deletedRow = await uow.deleteFrom('epic_issues').where('id', '=', id).returning('id').executeTakeFirst();
  if (deletedRow !== undefined) await recordNotes(uow, epic_id, child, REMOVED_TEXTS);
  return deletedRow !== undefined;
}

/** Returns whether the group of the epic is archived, so that its issues cannot change. */
export async function isEpicArchived(uow: UnitOfWork, { epic_id }: EpicIssueAssociation): Promise<boolean> {
  const [epic] = await findEpics(uow, [epic_id]);
  const group = epic && (await findGroup(uow, uow.actor, String(epic.group_id)));
  return group?.archived === true;
}

/** Moves the association of an issue to another issue, unless its epic is in an archived group. index: epic_issues_by_issue */
export async function moveEpicAssociation(uow: UnitOfWork, fromIssueId: number, toIssueId: number): Promise<void> {
  const [association] = await loadEpicIssueAssociations(uow, [fromIssueId]);
  if (association === undefined || (await isEpicArchived(uow, association))) return;
  await uow.updateTable('epic_issues').set({ issue_id: toIssueId }).where('issue_id', '=', fromIssueId).execute();
}

/** Texts of the notes on the epic and on the issue. */
const ADDED_TEXTS = [childAddedText, parentAddedText] as const;
const REMOVED_TEXTS = [childRemovedText, parentRemovedText] as const;

/** Creates system notes on the epic and on the issue. Each mentions the other side: only readers of that one see it. */
async function recordNotes(
  uow: UnitOfWork,
  epicId: number,
  { issue, project }: IssueInProject,
  [toEpicText, toIssueText]: typeof ADDED_TEXTS,
): Promise<void> {
  const [epic] = await findEpics(uow, [epicId]);
  if (epic === undefined) return;
  const path = (await loadNamespacePaths(uow, [epic.group_id])).get(epic.group_id) ?? '';
  const epicNoteable = { type: 'Epic', id: epic.id } as const;
  const issueNoteable = { type: 'Issue', id: issue.id } as const;
  // `fullReference` reads only the path of the group.
  const group = { full_path: path } as Group;
  const [epicReference, issueReference] = [
    buildFullReference({ ...epicNoteable, iid: epic.iid, group }),
    buildFullReference({ ...issueNoteable, iid: issue.iid, project }),
  ];
  await uow.record({ noteOn: epicNoteable, text: toEpicText(issueReference), mentionedResource: issueNoteable });
  await uow.record({ noteOn: issueNoteable, text: toIssueText(epicReference), mentionedResource: epicNoteable });
}

/** An epic as shown in its issues. */
export interface EpicOfIssueRow extends Columns<'epics', 'id' | 'iid' | 'title' | 'group_id'> {
  readonly full_path: string;
}

/** Loads, by issue id, the epics that the caller may read. index: epic_issues_by_issue, epics primary key, routes_by_namespace */
export async function loadVisibleEpics(
  db: Reader,
  caller: Caller,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, EpicOfIssueRow>> {
  const associations = await loadEpicIssueAssociations(db, issueIds);
  if (associations.length === 0) return new Map();
  const rows = await db
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .innerJoin('routes', 'routes.namespace_id', 'epics.group_id')
    .select(['epics.id', 'epics.iid', 'epics.title', 'epics.group_id', 'routes.full_path'])
    .where('epics.id', 'in', [...new Set(associations.map(({ epic_id }) => epic_id))])
    .where(epicVisibleTo(caller, db.today))
    .execute();
  const epicsById = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    associations.flatMap(({ issue_id, epic_id }) => {
      const epic = epicsById.get(epic_id);
      return epic === undefined ? [] : [[issue_id, epic] as const];
    }),
  );
}
