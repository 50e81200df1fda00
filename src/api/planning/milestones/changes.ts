import { deleteTargetActivity } from '#activity/index.ts';
import { ANONYMOUS, type SignedInCaller } from '#authentication/caller.ts';
import { reassignReferences } from '#database/batch-statements.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { allocateIid, IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { type GroupOrProject, selfOnly, toNamespaceOwnerColumns } from '#domain/namespaces/scope.ts';
import { BATCH_SIZE, MORE, recheckNothing, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type ParentContext, requireParentAccess } from '#http/access/parents.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import {
  compactFieldErrors,
  type Failure,
  type FieldErrors,
  fail,
  formatFieldErrors,
  invalid,
} from '#runtime/failure.ts';
import { MANAGE_MILESTONES } from './access.ts';
import {
  clearMilestoneBatch,
  clearMilestoneEventBatch,
  deleteMilestoneRow,
  findMilestone,
  type ImportedMilestoneState,
  insertMilestone,
  isMilestoneIidTaken,
  isMilestoneTitleTaken,
  isTitleTakenAmongGroups,
  type MilestoneContent,
  type MilestoneRow,
  updateMilestoneRow,
} from './store.ts';

/** Creates a milestone in this project or group. */
export async function createMilestone(
  uow: UnitOfWork<SignedInCaller>,
  parent: GroupOrProject,
  input: MilestoneContent,
): Promise<MilestoneRow | Failure<'notSaved'>> {
  const content = { ...input, title: input.title.trim() };
  const failure = await findMilestoneFailure(uow, parent, content);
  if (failure !== null) return failure;
  const { project, group } = parent;
  const iid = await allocateIid(uow, project ? { projectId: project.id } : { groupId: group.id }, 'milestone');
  const milestone = await insertMilestone(uow, toNamespaceOwnerColumns(parent), iid, content);
  await recordMilestoneEvent(uow, milestone, 'created');
  return milestone;
}

/** A milestone exported from another server. */
interface ImportedMilestone extends MilestoneContent, ImportedMilestoneState {
  readonly iid: number;
}

/** Creates a milestone from another server with its original iid; records no activity (contract/operations.md §1.4). */
export async function importMilestone(
  uow: UnitOfWork,
  parent: GroupOrProject,
  { iid, state, created_at, updated_at, ...input }: ImportedMilestone,
): Promise<MilestoneRow | Failure<'invalid'>> {
  const content = { ...input, title: input.title.trim() };
  const errors = await validateMilestone(uow, parent, content);
  if (errors !== null) return invalid(errors);
  if (await isMilestoneIidTaken(uow, parent, iid)) return IID_TAKEN;
  const { project, group } = parent;
  await reserveIid(uow, project ? { projectId: project.id } : { groupId: group.id }, 'milestone', iid);
  return insertMilestone(uow, toNamespaceOwnerColumns(parent), iid, content, { state, created_at, updated_at });
}

/** Changes to a milestone. Null clears an optional attribute; undefined keeps it. */
type UpdateMilestoneInput = {
  readonly [Name in keyof MilestoneContent]?: MilestoneContent[Name] | null | undefined;
} & { readonly state_event?: 'close' | 'activate' | null | undefined };

const STATES = { close: 'closed', activate: 'active' } as const;

/** Updates a milestone of this project or group itself. Closing a closed one records no activity. */
export async function updateMilestone(
  uow: UnitOfWork<SignedInCaller>,
  parent: GroupOrProject,
  milestoneId: number,
  { state_event: event, ...changes }: UpdateMilestoneInput,
): Promise<MilestoneRow | Failure<'notFound' | 'notSaved'>> {
  const milestone = await findMilestone(uow, selfOnly(parent), milestoneId);
  if (milestone === null) return fail('notFound');
  const getMergedValue = <Name extends keyof MilestoneContent>(name: Name) =>
    changes[name] === undefined ? milestone[name] : changes[name];
  const content = {
    title: (getMergedValue('title') ?? '').trim(),
    description: getMergedValue('description'),
    start_date: getMergedValue('start_date'),
    due_date: getMergedValue('due_date'),
  };
  const failure = await findMilestoneFailure(uow, parent, content, milestone);
  if (failure !== null) return failure;
  const state = event ? STATES[event] : milestone.state;
  if (state === milestone.state && isUnchanged(milestone, content)) return milestone;
  const updatedMilestone = await updateMilestoneRow(uow, milestoneId, { ...content, state });
  if (state !== milestone.state)
    await recordMilestoneEvent(uow, updatedMilestone, state === 'closed' ? 'closed' : 'reopened');
  return updatedMilestone;
}

/** Returns whether the update changes nothing. The caller then keeps `updated_at`. */
const isUnchanged = (milestone: MilestoneContent, content: MilestoneContent) =>
  (Object.keys(content) as (keyof MilestoneContent)[]).every((name) => content[name] === milestone[name]);

/**
 * Promotes a project milestone to a group milestone and merges all milestones of that title in the group's direct projects into
 * it. Records no activity. A background job merges the rows that are too many for one transaction.
 */
export async function promoteMilestone(
  uow: UnitOfWork,
  { project, group }: { readonly project: Project; readonly group: Group },
  milestoneId: number,
): Promise<MilestoneRow | Failure<'notFound' | 'titleTaken'>> {
  const milestone = await findMilestone(uow, selfOnly({ project }), milestoneId);
  if (milestone === null) return fail('notFound');
  if (await isTitleTakenAmongGroups(uow, group, milestone.title)) return fail('titleTaken');
  const iid = await allocateIid(uow, { groupId: group.id }, 'milestone');
  const { state } = milestone;
  const timestamps = { created_at: uow.now, updated_at: uow.now };
  const groupMilestone = await insertMilestone(uow, toNamespaceOwnerColumns({ group }), iid, milestone, {
    state,
    ...timestamps,
  });
  const mergeResult = await mergeMilestoneBatch(uow, { ...groupMilestone, group_id: group.id });
  if (mergeResult === MORE) await enqueue(uow, mergeMilestones, { milestoneId: groupMilestone.id });
  return groupMilestone;
}

// Merges milestones of the same title in a group's direct projects into the group's milestone (contract/planning.md §3.5).

type MergeTarget = Columns<'milestones', 'id' | 'title'> & { readonly group_id: number };

/** Continues a promotion that was too large for one transaction. */
export const mergeMilestones = defineJob({
  kind: 'merge_milestones',
  async handle(
    { runUnitOfWork }: { readonly runUnitOfWork: RunUnitOfWork },
    { milestoneId }: { readonly milestoneId: number },
  ) {
    // The request that promoted the milestone has checked the caller's access.
    await runInBatches(runUnitOfWork, ANONYMOUS, {
      recheck: recheckNothing,
      async runBatch(uow) {
        const target = await uow
          .selectFrom('milestones')
          .select(['id', 'title', 'group_id'])
          .where('id', '=', milestoneId)
          .executeTakeFirst();
        return target?.group_id == null
          ? undefined
          : mergeMilestoneBatch(uow, { ...target, group_id: target.group_id });
      },
    });
  },
});

/**
 * The tables that refer to milestones.
 * index: issues_by_milestone, merge_requests_by_milestone, resource_milestone_events_by_milestone
 */
const REFERENCING_TABLES = ['issues', 'merge_requests', 'resource_milestone_events'] as const;

/**
 * Merges one batch of rows: moves all references of each duplicate to the target, then deletes the duplicate without recording
 * activity. Returns `MORE` if rows may remain.
 */
async function mergeMilestoneBatch(uow: UnitOfWork, target: MergeTarget): Promise<typeof MORE | undefined> {
  let remainingRows = BATCH_SIZE;
  for (;;) {
    const duplicateId = await findDuplicateMilestone(uow, target);
    if (duplicateId === null) return undefined;
    for (const table of REFERENCING_TABLES) {
      remainingRows -= await reassignReferences(
        uow,
        { table, column: 'milestone_id' },
        { from: duplicateId, to: target.id, limit: remainingRows },
      );
      if (remainingRows <= 0) return MORE;
    }
    await deleteTargetActivity(uow, 'Milestone', [duplicateId]);
    await deleteMilestoneRow(uow, duplicateId);
    if (--remainingRows <= 0) return MORE;
  }
}

/** Returns the id of a milestone of the same title in a direct project of the group, or null. index: milestones_by_project_title, projects_by_namespace */
async function findDuplicateMilestone(db: Reader, { title, group_id }: MergeTarget): Promise<number | null> {
  const projects = db.selectFrom('projects').select('projects.id').where('namespace_id', '=', group_id);
  const duplicate = await db
    .selectFrom('milestones')
    .select('id')
    .where('title', '=', title)
    .where('project_id', 'in', projects)
    .limit(1)
    .executeTakeFirst();
  return duplicate?.id ?? null;
}

/**
 * Deletes a milestone after clearing it from issues, merge requests and milestone events, in batches of one transaction each.
 * Deletes its activity events too, and records one for the deletion.
 */
export function deleteMilestone(
  runUnitOfWork: RunUnitOfWork,
  parentContext: ParentContext,
  milestone: MilestoneRow,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, parentContext.caller, {
    recheck: (uow) => requireParentAccess(uow, parentContext, MANAGE_MILESTONES),
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        () => clearMilestoneBatch(uow, 'issues', milestone.id, BATCH_SIZE),
        () => clearMilestoneBatch(uow, 'merge_requests', milestone.id, BATCH_SIZE),
        () => clearMilestoneEventBatch(uow, milestone.id, BATCH_SIZE),
      );
      if (remainingWork) return remainingWork;
      if (!(await deleteMilestoneRow(uow, milestone.id))) return fail('notFound');
      await deleteTargetActivity(uow, 'Milestone', [milestone.id]);
      await recordMilestoneEvent(uow, milestone, 'destroyed');
    },
  });
}

/** Records an activity event for a project milestone; group milestones record none (contract/activity.md, "What records an event"). */
async function recordMilestoneEvent(
  uow: UnitOfWork<SignedInCaller>,
  { project_id: projectId, id, iid }: MilestoneRow,
  action: 'created' | 'closed' | 'reopened' | 'destroyed',
): Promise<void> {
  if (projectId === null) return;
  const activityContext = { projectId, authorId: uow.actor.user.id };
  if (action === 'destroyed') await uow.record({ ...activityContext, action, target: { type: 'Milestone' } });
  else await uow.record({ ...activityContext, action, target: { type: 'Milestone', id, iid } });
}

/** Maximum length of a title, in characters. */
export const MAX_TITLE_LENGTH = 255;

/**
 * Returns validation errors, or null if the content is valid. `currentMilestone` is set on update. Its unchanged title is
 * valid even as a duplicate, because transfers of projects and groups can cause duplicates.
 */
async function validateMilestone(
  tx: Transaction,
  parent: GroupOrProject,
  { title, start_date: start, due_date: due }: MilestoneContent,
  currentMilestone?: MilestoneRow,
): Promise<FieldErrors | null> {
  return compactFieldErrors({
    title: await validateMilestoneTitle(tx, parent, title, currentMilestone),
    due_date: start !== null && due !== null && due <= start ? ['must be greater than start date'] : [],
  });
}

/** Validates as `validateMilestone` and returns the failure that endpoints report, or null. */
async function findMilestoneFailure(
  ...args: Parameters<typeof validateMilestone>
): Promise<Failure<'notSaved'> | null> {
  const errors = await validateMilestone(...args);
  return errors && createNotSavedFailure(errors);
}

async function validateMilestoneTitle(
  tx: Transaction,
  parent: GroupOrProject,
  title: string,
  currentMilestone?: MilestoneRow,
): Promise<readonly string[]> {
  if (title === '') return ["can't be blank"];
  if ([...title].length > MAX_TITLE_LENGTH) return [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`];
  if (title === currentMilestone?.title) return [];
  return (await isMilestoneTitleTaken(tx, parent, title)) ? TITLE_TAKEN_ERRORS : [];
}

const TITLE_TAKEN_ERRORS = ['already being used for another group or project milestone.'];

const createNotSavedFailure = (errors: FieldErrors) => fail('notSaved', { errors: formatFieldErrors(errors) });

/** The failure when a concurrent request has taken the title. */
export const MILESTONE_TITLE_TAKEN = createNotSavedFailure({ title: TITLE_TAKEN_ERRORS });
