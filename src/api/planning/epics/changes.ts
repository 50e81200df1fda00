import { confidentialityChangedText, DESCRIPTION_CHANGED_TEXT, titleChangedText } from '#activity/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import { AccessRevoked, requireGroupAccess } from '#authorization/current-access.ts';
import { type Epic, findEpic, findEpics, mayReadEpic } from '#authorization/epics.ts';
import type { Reader } from '#database/database.ts';
import type { EpicState } from '#database/schema.ts';
import { allocateIid, IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { BATCH_SIZE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import type { GroupIssuable } from '#http/access/noteables.ts';
import { hierarchyLockKey } from '#http/access/parents.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import {
  buildTextColumns,
  deleteNotesBatch,
  derivedTextColumns,
  EPICS,
  IMPORTED_VALUES,
  type ImportedState,
  insertImportedLabels,
  isSameSet,
  loadLabels,
  newStateColumns,
  pickChangedColumns,
  publishIssuableChanges,
  publishTextChanges,
  recordMentions,
  resolveLabels,
  stateColumnsAfter,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { parseColor } from '../labels/index.ts';
import {
  applyDescriptionCommands,
  NEW_SUBJECT_STATE,
  type QuickActionKind,
  type QuickActionSubject,
  runAfterUpdate,
} from '../quick-actions/index.ts';
import type { createEpicParams, updateEpicParams } from './parameters.ts';
import { findParent, hasPublicChildren, validateParent } from './parents.ts';
import { hasPublicIssues, insertEpic, requireEpic, updateEpicRow } from './store.ts';

type CreateEpicInput = ParameterValues<typeof createEpicParams> & { readonly title: string };

const NO_DATES = { dates_are_fixed: false, start_date_fixed: null, due_date_fixed: null };

/** Creates an epic and runs the quick actions in its description. Owners may set the creation time. */
export async function createEpicWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  params: CreateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound' | 'notFound'>> {
  const { input, afterUpdate, closesAfterCreation } = await applyDescriptionCommands(uow, params, async () =>
    newEpicSubject(uow, group, params.title, params.confidential === true),
  );
  const epic = await insertNewEpic(uow, group, input);
  if (isFailure(epic)) return epic;
  const updatedEpic = await runAfterUpdate(epic, afterUpdate, (id) => requireEpic(uow, id));
  return closesAfterCreation && !isFailure(updatedEpic)
    ? updateEpicWithQuickActions(uow, group, epic.iid, { state_event: 'close' })
    : updatedEpic;
}

async function insertNewEpic(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  input: CreateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound'>> {
  const parent = input.parent_id == null ? null : await findParent(uow, input.parent_id);
  if (isFailure(parent)) return parent;
  const confidential = input.confidential ?? false;
  const { color, errors: colorErrors } = parseEpicColor(input.color);
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    color: colorErrors,
    confidential: await validateConfidentiality(uow, null, { confidential, parent }),
    parent: parent === null ? [] : await validateParent(uow, null, parent.id),
  });
  if (errors) return invalid(errors);
  const createdAt = (mayInGroup(uow.actor, 'set_epic_timestamps', group) && input.created_at) || uow.now;
  const iid = await allocateIid(uow, { groupId: group.id }, 'epic');
  const description = input.description ?? null;
  const id = await insertEpic(uow, {
    group_id: group.id,
    iid,
    ...buildTextColumns({ title: input.title, description }),
    author_id: uow.actor.user.id,
    confidential,
    color,
    parent_id: parent?.id ?? null,
    ...resolveFixedDates(NO_DATES, input),
    ...newStateColumns(createdAt),
  });
  await updateLabels(uow, EPICS, id, { before: [], after: await resolveLabels(uow, { group }, [], input) });
  await uow.publish('notifiable-event-occurred', { event: 'new_epic', about: { type: 'Epic', id } });
  await recordMentions(uow, { ...toResource({ id }), iid, group }, [input.title, description ?? '']);
  return requireEpic(uow, id);
}

/** An epic exported from another server. */
interface EpicImport extends ImportedState<EpicState> {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly confidential: boolean;
  readonly color: string | null;
  readonly dates_are_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly due_date_fixed: string | null;
  /** Titles of labels. */
  readonly labels: readonly string[];
}

/** Imports an epic with its original iid and without a parent, without notifications (contract/operations.md §1.4). */
export async function importEpic(
  uow: UnitOfWork,
  group: Group,
  { labels, title, description, color: requestedColor, ...epic }: EpicImport,
): Promise<Epic | Failure<'invalid'>> {
  const { color, errors: colorErrors } = parseEpicColor(requestedColor);
  const errors = compactFieldErrors({ title: validateTitle(title), color: colorErrors });
  if (errors) return invalid(errors);
  if ((await findEpic(uow, group.id, epic.iid)) !== null) return IID_TAKEN;
  await reserveIid(uow, { groupId: group.id }, 'epic', epic.iid);
  const texts = buildTextColumns({ title, description });
  const id = await insertEpic(uow, {
    ...epic,
    ...texts,
    ...IMPORTED_VALUES,
    group_id: group.id,
    color,
    parent_id: null,
  });
  await insertImportedLabels(uow, EPICS, id, await resolveLabels(uow, { group }, [], { labels }));
  return requireEpic(uow, id);
}

/**
 * Sets the parent of an imported epic, without changing `updated_at`. Does nothing if one of the epics does not exist or the parent
 * is invalid.
 */
export async function setImportedParent(uow: UnitOfWork, parentId: number, id: number): Promise<void> {
  const [parent] = await findEpics(uow, [parentId]);
  const [epic] = await findEpics(uow, [id]);
  if (parent === undefined || epic === undefined) return;
  const errors = compactFieldErrors({
    confidential: await validateConfidentiality(uow, epic, { confidential: epic.confidential, parent }),
    parent: await validateParent(uow, id, parentId),
  });
  if (errors === null) await updateEpicRow(uow, id, { parent_id: parentId });
}

type UpdateEpicInput = Partial<ParameterValues<typeof updateEpicParams>>;

/** Updates an epic and runs the quick actions in its description. Owners may set the timestamps. */
export async function updateEpicWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  iid: number,
  params: UpdateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound' | 'notFound'>> {
  const epic = await findEpic(uow, group.id, iid);
  if (epic === null) return fail('notFound');
  const { input, afterUpdate } = await applyDescriptionCommands(uow, params, () => loadEpicSubject(uow, group, epic));
  const updatedEpic = await applyUpdate(uow, group, epic, input);
  if (isFailure(updatedEpic)) return updatedEpic;
  return runAfterUpdate(updatedEpic, afterUpdate, (id) => requireEpic(uow, id));
}

async function applyUpdate(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  epic: Epic,
  input: UpdateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound'>> {
  const parent = await resolveParent(uow, epic, input);
  if (isFailure(parent)) return parent;
  const requestedColumns = await resolveColumns(uow, epic, parent, input);
  if (isFailure(requestedColumns)) return requestedColumns;
  const maySetTimestamps = mayInGroup(uow.actor, 'set_epic_timestamps', group);
  const columns = pickChangedColumns<Epic>(epic, {
    ...requestedColumns,
    ...stateColumnsAfter(epic.state, input.state_event, uow),
    ...(maySetTimestamps && input.created_at ? { created_at: input.created_at } : {}),
  });
  const currentLabels = await loadLabels(uow, EPICS, [epic.id]);
  const labelIdsBefore = currentLabels.map(({ id }) => id);
  const labelIds = await resolveLabels(uow, { group }, currentLabels, input);
  await updateLabels(uow, EPICS, epic.id, { before: labelIdsBefore, after: labelIds });
  const updatedAt = maySetTimestamps ? input.updated_at : null;
  if (Object.keys(columns).length > 0 || !isSameSet(labelIdsBefore, labelIds) || updatedAt != null) {
    await updateEpicRow(uow, epic.id, { ...columns, ...derivedTextColumns(columns), updated_at: updatedAt ?? uow.now });
  }
  const updatedEpic = await requireEpic(uow, epic.id);
  await recordEpicChanges(uow, epic, updatedEpic);
  const { confidential } = epic;
  await publishIssuableChanges(
    uow,
    toResource(epic),
    { labels: labelIdsBefore, confidential },
    { ...updatedEpic, labels: labelIds },
  );
  await publishTextChanges(uow, { ...toResource(epic), iid: epic.iid, group }, epic, columns);
  return updatedEpic;
}

/** Returns the parent after the update, or null for none. Only a new parent must be readable for the caller. */
async function resolveParent(
  uow: UnitOfWork,
  { parent_id: currentParentId }: Epic,
  { parent_id: requestedParentId }: UpdateEpicInput,
): Promise<Epic | null | Failure<'parentNotFound'>> {
  if (requestedParentId === undefined || requestedParentId === currentParentId)
    return currentParentId === null ? null : ((await findEpics(uow, [currentParentId]))[0] ?? null);
  return requestedParentId === null ? null : findParent(uow, requestedParentId);
}

async function resolveColumns(
  uow: UnitOfWork,
  epic: Epic,
  parent: Epic | null,
  input: UpdateEpicInput,
): Promise<Partial<Epic> | Failure<'invalid'>> {
  const confidential = input.confidential ?? epic.confidential;
  const { color, errors: colorErrors } = parseEpicColor(input.color === undefined ? epic.color : input.color);
  const isMoved = parent !== null && parent.id !== epic.parent_id;
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    color: colorErrors,
    confidential: await validateConfidentiality(uow, epic, { confidential, parent }),
    parent: isMoved ? await validateParent(uow, epic.id, parent.id) : [],
  });
  if (errors) return invalid(errors);
  return {
    title: input.title ?? epic.title,
    description: input.description === undefined ? epic.description : input.description,
    confidential,
    color,
    parent_id: parent?.id ?? null,
    ...resolveFixedDates(epic, input),
  };
}

/**
 * Deletes an epic: first its notes, then its issue associations, then the epic. If these are many, it takes several transactions.
 * Child epics lose their parent.
 */
export function removeEpic(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, iid, group_id }: Epic,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, caller, {
    async recheck(uow) {
      const { caller: currentCaller, group } = await requireGroupAccess(uow, caller, group_id, 'delete_epic');
      const epic = await findEpic(uow, group_id, iid);
      if (epic === null) return fail('notFound');
      if (!mayReadEpic(currentCaller, group, epic)) throw new AccessRevoked();
      return undefined;
    },
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        () => deleteNotesBatch(uow, EPICS, [id]),
        () => deleteIssuesBatch(uow, id),
      );
      if (remainingWork) return remainingWork;
      // index: epics primary key
      await uow.deleteFrom('epics').where('id', '=', id).execute();
    },
  });
}

/** Deletes a batch of issue associations and returns how many. index: epic_issues_by_epic */
async function deleteIssuesBatch(uow: UnitOfWork, epicId: number): Promise<number> {
  const batch = uow.selectFrom('epic_issues').select('id').where('epic_id', '=', epicId).limit(BATCH_SIZE);
  const deletedRows = await uow.deleteFrom('epic_issues').where('id', 'in', batch).returning('id').execute();
  return deletedRows.length;
}

const DEFAULT_COLOR = '#1068bf';

interface ParsedColor {
  readonly color: string;
  /** Validation errors; empty if the color is valid. */
  readonly errors: string[];
}

/**
 * Parses a color in the formats of label colors: `#RGB`, `#RRGGBB` or a name. A missing text means the default color; an invalid one
 * yields errors and the default color.
 */
function parseEpicColor(colorText: string | null | undefined): ParsedColor {
  const color = colorText == null ? DEFAULT_COLOR : parseColor(colorText);
  return color === null ? { color: DEFAULT_COLOR, errors: ['must be a valid color code'] } : { color, errors: [] };
}

// Records changes of epics: state events, and system notes for everything else. Epics have no activity events.

/** Returns the epic as the resource of its events. */
const toResource = ({ id }: Pick<Epic, 'id'>) => ({ type: 'Epic', id }) as const;

/** Records the differences between the epic before and after an update. */
async function recordEpicChanges(uow: UnitOfWork<SignedInCaller>, before: Epic, after: Epic): Promise<void> {
  const texts = [
    ...(before.title === after.title ? [] : [titleChangedText(before.title, after.title)]),
    ...(before.description === after.description ? [] : [DESCRIPTION_CHANGED_TEXT]),
    ...(before.confidential === after.confidential ? [] : [confidentialityChangedText('epic', after.confidential)]),
  ];
  const epic = toResource(after);
  for (const text of texts) await uow.record({ noteOn: epic, text });
  if (before.state !== after.state) await uow.record({ stateOf: epic, state: after.state });
}

/** Fixed dates of an epic. */
type FixedDates = Pick<Epic, 'dates_are_fixed' | 'start_date_fixed' | 'due_date_fixed'>;

/**
 * Returns the dates after the update. Both dates share one flag: a date or `true` sets the flag; otherwise `false` clears it.
 * `start_date` and `end_date` are deprecated names of the fixed dates.
 */
function resolveFixedDates(before: FixedDates, input: UpdateEpicInput): FixedDates {
  const start = input.start_date_fixed === undefined ? input.start_date : input.start_date_fixed;
  const due = input.due_date_fixed === undefined ? input.end_date : input.due_date_fixed;
  const flags = [input.start_date_is_fixed, input.due_date_is_fixed];
  const setsFlag = start != null || due != null || flags.includes(true);
  return {
    dates_are_fixed: setsFlag || (before.dates_are_fixed && !flags.includes(false)),
    start_date_fixed: start === undefined ? before.start_date_fixed : start,
    due_date_fixed: due === undefined ? before.due_date_fixed : due,
  };
}

// Child epics and issues of a confidential epic must be confidential.

const CONTAINS_PUBLIC = 'Cannot make the epic confidential if it contains non-confidential';
const PUBLIC_BELOW_CONFIDENTIAL = 'A non-confidential epic cannot be assigned to a confidential parent epic';

interface RequestedConfidentiality {
  readonly confidential: boolean;
  /** The parent epic after the change. */
  readonly parent: Pick<Epic, 'confidential'> | null;
}

/** Returns the validation errors of the confidentiality after the change; `before` is null for a new epic. */
async function validateConfidentiality(
  db: Reader,
  before: Pick<Epic, 'id' | 'confidential'> | null,
  { confidential, parent }: RequestedConfidentiality,
): Promise<string[]> {
  if (!confidential) return parent?.confidential ? [PUBLIC_BELOW_CONFIDENTIAL] : [];
  if (before === null || before.confidential) return [];
  return [
    ...((await hasPublicIssues(db, before.id)) ? [`${CONTAINS_PUBLIC} issues`] : []),
    ...((await hasPublicChildren(db, before.id)) ? [`${CONTAINS_PUBLIC} child epics`] : []),
  ];
}

/** Quick actions in comments on epics. */
export const epicQuickActions: QuickActionKind<GroupIssuable> = {
  runUnitOfWork: ({ runUnitOfWork }, caller, { group, iid }, { lock }, work) =>
    runUnitOfWork(caller, (uow) => work(uow, (input) => updateEpicWithQuickActions(uow, group, iid, input)), {
      lock: [hierarchyLockKey('epics', group), ...lock],
    }),
  async loadSubject(uow, _caller, { id, group }) {
    const [epic] = await findEpics(uow, [id]);
    return epic === undefined ? null : loadEpicSubject(uow, group, epic);
  },
};

/** Returns the epic as a subject of quick actions. */
async function loadEpicSubject(uow: UnitOfWork<SignedInCaller>, group: Group, epic: Epic): Promise<QuickActionSubject> {
  const labels = await loadLabels(uow, EPICS, [epic.id]);
  const { state, title, confidential } = epic;
  return {
    ...toGroupSubject(uow, group),
    noteable: epic,
    currentState: { ...NEW_SUBJECT_STATE, state, title, confidential, labels },
  };
}

/** Returns the subject for an epic that is being created. */
function newEpicSubject(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  title: string,
  confidential: boolean,
): QuickActionSubject {
  return { ...toGroupSubject(uow, group), noteable: null, currentState: { ...NEW_SUBJECT_STATE, title, confidential } };
}

function toGroupSubject(uow: UnitOfWork<SignedInCaller>, group: Group) {
  const mayAdminister = mayInGroup(uow.actor, 'admin_epic', group);
  return {
    type: 'Epic',
    parent: { group },
    mayUpdate: mayAdminister,
    mayManage: mayAdminister,
    mayTrackTime: false,
    mayLink: false,
    filterReaders: async () => [],
  } as const;
}
