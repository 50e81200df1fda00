import type { SignedInCaller } from '#authentication/caller.ts';
import { requireGroupAccess } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import { IID_TAKEN } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { BATCH_SIZE, MORE, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid, requireRow } from '#runtime/failure.ts';
import {
  assignIterationBatch,
  type CadenceRow,
  createManualCadence,
  findCadence,
  findCadenceById,
  findFirstManualCadence,
  findOrCreateImportCadence,
  type ImportedIterationState,
  insertIteration,
  MANAGE_ITERATIONS,
  scheduleCadence,
} from '../iteration-cadences/index.ts';
import {
  CLOSED_STATE,
  deleteIterationRow,
  findIteration,
  getIterationState,
  hasOverlappingIteration,
  type IterationContent,
  type IterationRow,
  isIterationIidTaken,
  isIterationTitleTaken,
  isLastIteration,
  updateIterationRow,
} from './store.ts';

/** A new iteration. `cadenceId` null means the group's first manual cadence. */
interface CreateIterationInput extends IterationContent {
  readonly cadenceId: number | null;
}

/** Creates an iteration in a manual cadence of this group; creates the cadence if none is named and none exists. */
export async function createIteration(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id' | 'name'>,
  { cadenceId, ...input }: CreateIterationInput,
): Promise<IterationRow | Failure<'notFound' | 'cadenceIsAutomatic' | 'invalid'>> {
  const cadence = await findOrCreateCadence(uow, group, cadenceId);
  if (cadence === null) return fail('notFound');
  if (cadence.automatic) return fail('cadenceIsAutomatic');
  const content = { ...input, title: normalizeTitle(input.title) };
  const errors = await validateIteration(uow, { id: 0, cadence_id: cadence.id }, content);
  if (errors) return invalid(errors);
  const id = await insertIteration(uow, cadence, { period: content, texts: content });
  return requireRow(await findIteration(uow, [group.id], id));
}

async function findOrCreateCadence(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id' | 'name'>,
  id: number | null,
): Promise<CadenceRow | null> {
  if (id !== null) return findCadence(uow, [group.id], id);
  return (await findFirstManualCadence(uow, group.id)) ?? createManualCadence(uow, group);
}

/** An iteration exported from another server. */
interface ImportedIteration extends IterationContent, ImportedIterationState {}

/**
 * Creates an iteration from another server with its original iid, in the group's import cadence (contract/operations.md §1.4).
 * The caller must hold `iterationsLockKey`.
 */
export async function importIteration(
  uow: UnitOfWork,
  group: Pick<Group, 'id'>,
  { iid, created_at, updated_at, ...input }: ImportedIteration,
): Promise<IterationRow | Failure<'invalid'>> {
  if (await isIterationIidTaken(uow, group.id, iid)) return IID_TAKEN;
  const cadence = await findOrCreateImportCadence(uow, group);
  const content = { ...input, title: normalizeTitle(input.title) };
  const errors = await validateIteration(uow, { id: 0, cadence_id: cadence.id }, content);
  if (errors) return invalid(errors);
  const id = await insertIteration(uow, cadence, {
    period: content,
    texts: content,
    importedState: { iid, created_at, updated_at },
  });
  return requireRow(await findIteration(uow, [group.id], id));
}

/** Changes to an iteration. Null clears an optional attribute; undefined keeps it. */
type UpdateIterationInput = {
  readonly [Name in keyof IterationContent]?: IterationContent[Name] | null | undefined;
};

/** Updates an iteration. In an automatic cadence only the description can change. */
export async function updateIteration(
  uow: UnitOfWork<SignedInCaller>,
  { id, group_id }: Pick<IterationRow, 'id' | 'group_id'>,
  input: UpdateIterationInput,
): Promise<IterationRow | Failure<'notFound' | 'cadenceIsAutomatic' | 'invalid'>> {
  const before = await findIteration(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const dateErrors = validateDates(input);
  if (dateErrors) return invalid(dateErrors);
  const content = {
    title: input.title === undefined ? before.title : normalizeTitle(input.title),
    description: input.description === undefined ? before.description : input.description,
    start_date: input.start_date ?? before.start_date,
    due_date: input.due_date ?? before.due_date,
  };
  const areDatesChanged = content.start_date !== before.start_date || content.due_date !== before.due_date;
  if (areDatesChanged || content.title !== before.title) {
    if ((await findCadenceById(uow, before.cadence_id))?.automatic) return fail('cadenceIsAutomatic');
    const errors = await validateIteration(uow, before, content);
    if (errors) return invalid(errors);
  }
  const isChanged = areDatesChanged || content.title !== before.title || content.description !== before.description;
  return isChanged ? updateIterationRow(uow, id, content) : before;
}

function validateDates({ start_date, due_date }: UpdateIterationInput): FieldErrors | null {
  const rejectNull = (date: string | null | undefined) => (date === null ? ["can't be blank"] : []);
  return compactFieldErrors({ start_date: rejectNull(start_date), due_date: rejectNull(due_date) });
}

/**
 * Deletes an iteration after clearing it from issues in batches of one transaction each. A current or upcoming iteration
 * must be the last of its cadence. Checks this before the first batch only. An automatic cadence creates a replacement
 * immediately.
 */
export function deleteIteration(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, group_id }: IterationRow,
): Promise<undefined | Failure<'notFound' | 'notLastOfCadence'>> {
  return runInBatches(runUnitOfWork, caller, {
    async recheck(uow, hasBegun) {
      await requireGroupAccess(uow, caller, group_id, MANAGE_ITERATIONS);
      const iteration = await findIteration(uow, [group_id], id);
      if (iteration === null) return fail('notFound');
      const mayDelete =
        hasBegun || getIterationState(iteration, uow.today) === CLOSED_STATE || (await isLastIteration(uow, iteration));
      return mayDelete ? iteration : fail('notLastOfCadence');
    },
    async runBatch(uow, { cadence_id }) {
      if ((await assignIterationBatch(uow, null, (issues) => issues.where('iteration_id', '=', id))) === BATCH_SIZE)
        return MORE;
      await deleteIterationRow(uow, id);
      const cadence = await findCadenceById(uow, cadence_id);
      if (cadence?.automatic) await scheduleCadence(uow, cadence);
    },
  });
}

// Validation of iterations (contract/planning.md §3.10 "Model errors").

/** Maximum length of a title, in characters. */
export const MAX_TITLE_LENGTH = 255;

/** Trims a title; returns null for a blank one. */
const normalizeTitle = (title: string | null | undefined): string | null => title?.trim() || null;

const TITLE_ERRORS = ['already being used for another iteration within this cadence.'];

/** The failure when a concurrent request has taken the title. */
export const ITERATION_TITLE_TAKEN = invalid({ title: TITLE_ERRORS });

/** Returns validation errors, or null if the content is valid. A new iteration has the id 0. */
async function validateIteration(
  tx: Transaction,
  iterationRef: Pick<IterationRow, 'id' | 'cadence_id'>,
  content: IterationContent,
): Promise<FieldErrors | null> {
  const { title, start_date, due_date } = content;
  const isDueTooEarly = due_date <= start_date;
  return compactFieldErrors({
    due_date: isDueTooEarly ? ['must be greater than start date'] : [],
    base:
      !isDueTooEarly && (await hasOverlappingIteration(tx, { ...iterationRef, start_date, due_date }))
        ? [OVERLAPPING_DATES]
        : [],
    title: title === null ? [] : await validateIterationTitle(tx, { ...iterationRef, title }),
  });
}

const OVERLAPPING_DATES = 'Dates cannot overlap with other existing Iterations within this iterations cadence';

async function validateIterationTitle(
  tx: Transaction,
  iterationRef: Pick<IterationRow, 'id' | 'cadence_id'> & { readonly title: string },
): Promise<readonly string[]> {
  if ([...iterationRef.title].length > MAX_TITLE_LENGTH)
    return [`is too long (maximum is ${MAX_TITLE_LENGTH} characters)`];
  return (await isIterationTitleTaken(tx, iterationRef)) ? TITLE_ERRORS : [];
}
