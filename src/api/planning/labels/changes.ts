import { sql } from 'kysely';
import { ANONYMOUS, type Caller, type SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup, mayInProject } from '#authorization/abilities.ts';
import { reassignReferences } from '#database/batch-statements.ts';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds, selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import {
  ancestorsAndSelf,
  type GroupOrProject,
  type NamespaceScope,
  selfOnly,
  toNamespaceOwnerColumns,
} from '#domain/namespaces/scope.ts';
import { BATCH_SIZE, MORE, recheckNothing, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Parent, type ParentContext, requireParentAccess } from '#http/access/parents.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import { MANAGE_LABELS } from './access.ts';
import { parseColor } from './color.ts';
import {
  deleteLabelRow,
  findLabel,
  findLabelByTitle,
  findLabelsByTitles,
  insertLabels,
  LABEL_LINKS,
  type LabelBasicRow,
  type LabelContent,
  type LabelListRow,
  type LabelRow,
  removeLabelBatch,
  setLabelPriority,
  updateLabelRow,
} from './store.ts';

/** Creates a label in this project or group. */
export async function createLabel(
  uow: UnitOfWork,
  parent: GroupOrProject,
  input: LabelAttributes & { readonly archived?: boolean | null | undefined },
): Promise<LabelRow | Failure<'invalid' | 'exists'>> {
  const content = await validateLabel(uow, parent, input);
  if (isFailure(content)) return content;
  const [id] = await insertLabels(uow, toNamespaceOwnerColumns(parent), [{ ...content, archived: input.archived }]);
  if (id === undefined) return fail('exists');
  if (parent.project && input.priority != null) await setLabelPriority(uow, parent.project.id, id, input.priority);
  return requireRow(await findLabel(uow, selfOnly(parent), id));
}

function mayManageLabels(caller: Caller, { project, group }: GroupOrProject): boolean {
  return project ? mayInProject(caller, 'admin_label', project) : mayInGroup(caller, 'admin_label', group!);
}

/** Color of labels that are created by name only. */
const DEFAULT_COLOR = '#6699cc';

/**
 * Finds labels by title in this project or group and its ancestors. Creates unknown ones if the actor may manage labels,
 * else omits them. Omits invalid titles too (contract/planning.md §3.5).
 */
export async function findOrCreateLabels(
  uow: UnitOfWork,
  parent: GroupOrProject,
  titles: readonly string[],
): Promise<LabelBasicRow[]> {
  const validTitles = [...new Set(titles.map((title) => title.trim()))].filter(
    (title) => validateLabelTitle(title).length === 0,
  );
  if (validTitles.length === 0) return [];
  const scope = await ancestorsAndSelf(uow, parent);
  const existingLabels = await findLabelsByTitles(uow, scope, validTitles);
  const existingTitles = new Set(existingLabels.map(({ title }) => title));
  const missingTitles = validTitles.filter((title) => !existingTitles.has(title));
  if (missingTitles.length === 0 || !mayManageLabels(uow.actor, parent)) return existingLabels;
  await insertLabels(
    uow,
    toNamespaceOwnerColumns(parent),
    missingTitles.map((title) => ({ title, color: DEFAULT_COLOR, description: null })),
  );
  return [...existingLabels, ...(await findLabelsByTitles(uow, scope, missingTitles))];
}

/** Changes to a label. Null clears an optional attribute; undefined keeps it. */
export interface UpdateLabelInput {
  readonly title?: string | null | undefined;
  readonly color?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly archived?: boolean | null | undefined;
  /** In projects only. */
  readonly priority?: number | null | undefined;
}

/** Updates a label of this project or group itself; inherited labels are not found. */
export async function updateLabel(
  uow: UnitOfWork,
  parent: GroupOrProject,
  labelId: number,
  change: UpdateLabelInput,
): Promise<LabelRow | Failure<'notFound' | 'invalid' | 'exists'>> {
  const label = await findLabel(uow, selfOnly(parent), labelId);
  if (label === null) return fail('notFound');
  const input: LabelAttributes = {
    title: change.title ?? label.title,
    color: change.color ?? label.color,
    description: change.description === undefined ? label.description : change.description,
    priority: change.priority,
  };
  const content = await validateLabel(uow, parent, input, labelId);
  if (isFailure(content)) return content;
  await updateLabelRow(uow, labelId, { ...content, archived: change.archived ?? label.archived });
  if (parent.project && change.priority !== undefined) {
    await setLabelPriority(uow, parent.project.id, labelId, change.priority);
  }
  return (await findLabel(uow, selfOnly(parent), labelId)) ?? fail('notFound');
}

/**
 * Promotes a project label to a group label and merges all labels of that title below the group into it. Records no
 * activity. A background job continues the merge if it is too large for one transaction.
 */
export async function promoteLabel(
  uow: UnitOfWork,
  { project, group }: { readonly project: Project; readonly group: Group },
  labelId: number,
): Promise<LabelRow | Failure<'notFound'>> {
  const label = await findLabel(uow, selfOnly({ project }), labelId);
  if (label === null) return fail('notFound');
  const groupScope = selfOnly({ group });
  if ((await findLabelByTitle(uow, groupScope, label.title)) === null) {
    await insertLabels(uow, toNamespaceOwnerColumns({ group }), [label]);
  }
  const groupLabel = requireRow(await findLabelByTitle(uow, groupScope, label.title));
  const mergeResult = await mergeLabelBatch(uow, { ...groupLabel, group_id: group.id });
  if (mergeResult === MORE) await enqueue(uow, mergeLabels, { labelId: groupLabel.id });
  return groupLabel;
}

// Subscriptions to labels: for the issuables of one project, or everywhere (contract/planning.md §3.5).

/**
 * Returns the ids of the labels to which the caller is subscribed, everywhere or in the project for which they are listed
 * (`listed_for_project_id`). index: label_subscriptions_by_label
 */
export async function findSubscribedLabelIds(
  db: Reader,
  { user }: Caller,
  labels: readonly Pick<LabelListRow, 'id' | 'listed_for_project_id'>[],
): Promise<ReadonlySet<number>> {
  if (user === null || labels.length === 0) return new Set();
  const ids = labels.map(({ id }) => id);
  const rows = await db
    .selectFrom('label_subscriptions')
    .select(['label_id', 'project_id'])
    .where('user_id', '=', user.id)
    .where(isInIds(db, sql<number>`label_id`, ids))
    .execute();
  const projectIdsByLabelId = new Map(labels.map((label) => [label.id, label.listed_for_project_id]));
  const effectiveRows = rows.filter(
    ({ label_id, project_id }) => project_id === null || project_id === projectIdsByLabelId.get(label_id),
  );
  return new Set(effectiveRows.map(({ label_id }) => label_id));
}

/** Subscribes or unsubscribes the caller: in this project, or everywhere if the parent is a group. Fails if nothing changes. */
export async function setLabelSubscription<Label extends LabelListRow>(
  uow: UnitOfWork<SignedInCaller>,
  parent: Parent,
  label: Label,
  subscribed: boolean,
): Promise<Label | Failure<'subscriptionUnchanged'>> {
  const subscribedIds = await findSubscribedLabelIds(uow, uow.actor, [label]);
  if (subscribedIds.has(label.id) === subscribed) return fail('subscriptionUnchanged');
  const { projectId }: NamespaceScope = selfOnly(parent);
  const subscription = { labelId: label.id, userId: uow.actor.user.id, projectId };
  // A subscription everywhere replaces those of projects. Unsubscribing in a project ends a subscription everywhere too.
  if (!subscribed || projectId === null) await unsubscribe(uow, subscription);
  if (subscribed) await subscribe(uow, subscription);
  return label;
}

interface LabelSubscription {
  readonly labelId: number;
  readonly userId: number;
  /** Null means everywhere. */
  readonly projectId: number | null;
}

async function subscribe(tx: Transaction, { labelId, userId, projectId }: LabelSubscription): Promise<void> {
  await tx
    .insertInto('label_subscriptions')
    .values({ label_id: labelId, user_id: userId, project_id: projectId, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function unsubscribe(tx: Transaction, { labelId, userId, projectId }: LabelSubscription): Promise<void> {
  const userSubscriptions = tx
    .deleteFrom('label_subscriptions')
    .where('label_id', '=', labelId)
    .where('user_id', '=', userId);
  await (projectId === null
    ? userSubscriptions
    : userSubscriptions.where((eb) => eb.or([eb('project_id', 'is', null), eb('project_id', '=', projectId)]))
  ).execute();
}

// Merges labels of the same title below a group into the group's label (contract/planning.md §3.5).

interface MergeTarget {
  readonly id: number;
  readonly title: string;
  readonly group_id: number;
}

/** Continues a promotion that was too large for one transaction. */
export const mergeLabels = defineJob({
  kind: 'merge_labels',
  async handle(
    { runUnitOfWork }: { readonly runUnitOfWork: RunUnitOfWork },
    { labelId }: { readonly labelId: number },
  ) {
    // The request that promoted the label has checked the caller's access.
    await runInBatches(runUnitOfWork, ANONYMOUS, {
      recheck: recheckNothing,
      async runBatch(uow) {
        const target = await uow
          .selectFrom('labels')
          .select(['id', 'title', 'group_id'])
          .where('id', '=', labelId)
          .executeTakeFirst();
        return target?.group_id == null ? undefined : mergeLabelBatch(uow, { ...target, group_id: target.group_id });
      },
    });
  },
});

/**
 * Moves all references of each duplicate label to the target, then deletes the duplicate. Changes at most `BATCH_SIZE` rows and
 * returns `MORE` if others are left.
 */
async function mergeLabelBatch(uow: UnitOfWork, target: MergeTarget): Promise<typeof MORE | undefined> {
  let remainingRows = BATCH_SIZE;
  for (;;) {
    const duplicateId = await findDuplicateLabel(uow, target);
    if (duplicateId === null) return undefined;
    for (const moveReferences of MOVE_STEPS) {
      remainingRows -= await moveReferences(uow, duplicateId, target.id, remainingRows);
      if (remainingRows <= 0) return MORE;
    }
    await deleteLabelRow(uow, duplicateId);
    if (--remainingRows <= 0) return MORE;
  }
}

/**
 * Returns the id of another label with the title in the group, its descendants or their projects, or null.
 * index: labels_by_project, labels_by_group
 */
async function findDuplicateLabel(db: Reader, { id, title, group_id }: MergeTarget): Promise<number | null> {
  const sameTitleLabels = db
    .selectFrom('labels')
    .select('id')
    .where('title', '=', title)
    .where('id', '<>', id)
    .limit(1);
  const projectLabels = sameTitleLabels.where(
    sql<boolean>`project_id in (${selectDescendantProjectIds(db, group_id)})`,
  );
  const groupLabels = sameTitleLabels.where(sql<boolean>`group_id in (${selectDescendantIds(db, group_id)})`);
  const duplicate = (await projectLabels.executeTakeFirst()) ?? (await groupLabels.executeTakeFirst());
  return duplicate?.id ?? null;
}

/** Moves at most `limit` references from one label to another and returns their number. */
type MoveStep = (tx: Transaction, fromId: number, toId: number, limit: number) => Promise<number>;

interface MovedTable {
  readonly table: string;
  /** The column that identifies a row among the rows of one label. */
  readonly key: string;
  /** The other columns to copy. */
  readonly columns: readonly string[];
}

/** Returns a step that moves rows of this table. A row that the target label already has is kept, and the moved one deleted. */
const moveRows =
  ({ table, key, columns }: MovedTable): MoveStep =>
  async (tx, fromId, toId, limit) => {
    const [tableRef, columnList] = [sql.table(table), sql.join(columns.map((column) => sql.ref(column)))];
    const batch = await sql<{ key: number }>`select ${sql.ref(key)} as key from ${tableRef}
      where label_id = ${fromId} order by ${sql.ref(key)} limit ${sql.lit(limit)}`.execute(tx);
    const keys = batch.rows.map((row) => row.key);
    if (keys.length === 0) return 0;
    const condition = sql`label_id = ${fromId} and ${isInIds(tx, sql.ref<number>(key), keys)}`;
    await sql`insert into ${tableRef} (label_id, ${columnList}) select ${sql.lit(toId)}, ${columnList} from ${tableRef}
      where ${condition} on conflict do nothing`.execute(tx);
    await sql`delete from ${tableRef} where ${condition}`.execute(tx);
    return keys.length;
  };

/** The references from label events to labels. index: resource_label_events_by_label */
const LABEL_EVENTS = { table: 'resource_label_events', column: 'label_id' };

/**
 * The steps that move all references to a label. index: issue_labels_by_label, merge_request_labels_by_label,
 * epic_labels_by_label, label_priorities_by_label, label_subscriptions_by_label
 */
const MOVE_STEPS: readonly MoveStep[] = [
  ...LABEL_LINKS.map(({ table, idColumn }) => moveRows({ table, key: idColumn, columns: [idColumn] })),
  moveRows({ table: 'label_priorities', key: 'project_id', columns: ['project_id', 'priority'] }),
  moveRows({ table: 'label_subscriptions', key: 'id', columns: ['user_id', 'project_id', 'created_at'] }),
  (tx, fromId, toId, limit) => reassignReferences(tx, LABEL_EVENTS, { from: fromId, to: toId, limit }),
];

/** Deletes a label after removing it from issuables and label events in batches of one transaction each. */
export function deleteLabel(
  runUnitOfWork: RunUnitOfWork,
  context: ParentContext,
  labelId: number,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, context.caller, {
    recheck: (uow) => requireParentAccess(uow, context, MANAGE_LABELS),
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        ...LABEL_LINKS.map((link) => () => removeLabelBatch(uow, link, labelId, BATCH_SIZE)),
        () => reassignReferences(uow, LABEL_EVENTS, { from: labelId, to: null, limit: BATCH_SIZE }),
      );
      if (remainingWork) return remainingWork;
      return (await deleteLabelRow(uow, labelId)) ? undefined : fail('notFound');
    },
  });
}

/** Maximum length of a title, in characters. */
export const MAX_TITLE_LENGTH = 255;

/** Attributes of a label before validation. */
interface LabelAttributes extends Columns<'labels', 'title' | 'color' | 'description'> {
  readonly priority?: number | null | undefined;
}

/**
 * Returns the normalized content of a label, or a failure. A title is unique in the project or group and its ancestors.
 * `id` is the id of the updated label, undefined for a new one.
 */
async function validateLabel(
  tx: Transaction,
  parent: GroupOrProject,
  { title: rawTitle, color: rawColor, description, priority }: LabelAttributes,
  id?: number,
): Promise<LabelContent | Failure<'invalid' | 'exists'>> {
  const [title, color] = [rawTitle.trim(), parseColor(rawColor)];
  const errors = compactFieldErrors({
    title: validateLabelTitle(title),
    color: color === null ? ['must be a valid color code'] : [],
    priority: (priority ?? 0) < 0 ? ['must be greater than or equal to 0'] : [],
  });
  if (errors !== null || color === null) return invalid(errors ?? {});
  const labelWithTitle = await findLabelByTitle(tx, await ancestorsAndSelf(tx, parent), title);
  if (labelWithTitle !== null && labelWithTitle.id !== id) return fail('exists');
  return { title, color, description };
}

/** Returns the validation errors of a trimmed title. */
function validateLabelTitle(title: string): string[] {
  if (title === '') return ["can't be blank", 'is invalid'];
  const errors = title.includes(',') ? ['is invalid'] : [];
  return [...title].length > MAX_TITLE_LENGTH
    ? [...errors, `is too long (maximum is ${MAX_TITLE_LENGTH} characters)`]
    : errors;
}
