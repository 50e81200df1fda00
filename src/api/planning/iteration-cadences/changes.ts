import type { SignedInCaller } from '#authentication/caller.ts';
import { requireGroupAccess } from '#authorization/current-access.ts';
import type { Transaction } from '#database/database.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { BATCH_SIZE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, type FieldErrors, fail, invalid } from '#runtime/failure.ts';
import { MANAGE_ITERATIONS } from './access.ts';
import { assignIterationBatch, clearUpcomingTitles, loadIterationTimeline } from './iteration-rows.ts';
import { getEarliestStart } from './periods.ts';
import { rescheduleCadence, scheduleCadence } from './schedule.ts';
import {
  type CadenceContent,
  type CadenceRow,
  deleteCadenceRow,
  findCadence,
  findManualCadenceByTitle,
  insertCadence,
  updateCadenceRow,
} from './store.ts';

/** Creates a cadence in this group and, if it is automatic, its iterations. */
export async function createCadence(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id'>,
  input: CadenceContent,
): Promise<CadenceRow | Failure<'invalid'>> {
  const content = normalizeCadence({ ...input, title: input.title.trim() });
  const errors = validateCadence(content, uow.today, { startsSchedule: true });
  if (errors) return invalid(errors);
  return rescheduleCadence(uow, await insertCadence(uow, group.id, content));
}

/** Creates the manual cadence for new iterations that name no cadence. */
export function createManualCadence(uow: UnitOfWork, { id, name }: Pick<Group, 'id' | 'name'>): Promise<CadenceRow> {
  return insertManualCadence(uow, id, `${name} Iterations`);
}

const IMPORT_CADENCE_TITLE = 'Imported iterations';

/** Returns the cadence for iterations imported from other servers; creates it on first use (contract/operations.md §1.4). */
export async function findOrCreateImportCadence(uow: UnitOfWork, { id }: Pick<Group, 'id'>): Promise<CadenceRow> {
  return (
    (await findManualCadenceByTitle(uow, id, IMPORT_CADENCE_TITLE)) ??
    insertManualCadence(uow, id, IMPORT_CADENCE_TITLE)
  );
}

function insertManualCadence(uow: UnitOfWork, groupId: number, title: string): Promise<CadenceRow> {
  return insertCadence(uow, groupId, {
    title,
    description: null,
    active: true,
    automatic: false,
    start_date: null,
    duration_in_weeks: null,
    iterations_in_advance: null,
    roll_over: false,
  });
}

/** Changes to a cadence. Null clears an optional attribute; undefined keeps it. */
type UpdateCadenceInput = { readonly [Name in keyof CadenceContent]?: CadenceContent[Name] | null | undefined };

/**
 * Updates a cadence. A new start date or duration changes the dates of upcoming iterations. Missing iterations are created
 * in the same transaction.
 */
export async function updateCadence(
  uow: UnitOfWork<SignedInCaller>,
  { id, group_id }: Pick<CadenceRow, 'id' | 'group_id'>,
  input: UpdateCadenceInput,
): Promise<CadenceRow | Failure<'notFound' | 'invalid'>> {
  const before = await findCadence(uow, [group_id], id);
  if (before === null) return fail('notFound');
  const content = applyInput(before, input);
  const restartsSchedule = !before.automatic || content.start_date !== before.start_date;
  const startsSchedule =
    restartsSchedule || (content.active && (await loadIterationTimeline(uow, id)).latestStarted === null);
  const errors = validateCadence(content, uow.today, { startsSchedule });
  if (errors) return invalid(errors);
  const needsRescheduling =
    restartsSchedule || !before.active || content.duration_in_weeks !== before.duration_in_weeks;
  if (!before.automatic && content.automatic) await clearUpcomingTitles(uow, id);
  const updatedCadence = await updateCadenceRow(uow, id, content);
  return needsRescheduling ? rescheduleCadence(uow, updatedCadence) : scheduleCadence(uow, updatedCadence);
}

function applyInput(before: CadenceRow, input: UpdateCadenceInput): CadenceContent {
  const getValueAfter = <Name extends keyof CadenceContent>(name: Name) =>
    input[name] === undefined ? before[name] : input[name];
  return normalizeCadence({
    title: input.title === undefined ? before.title : (input.title ?? '').trim(),
    description: getValueAfter('description') ?? null,
    active: input.active ?? before.active,
    automatic: input.automatic ?? before.automatic,
    start_date: getValueAfter('start_date') ?? null,
    duration_in_weeks: getValueAfter('duration_in_weeks') ?? null,
    iterations_in_advance: getValueAfter('iterations_in_advance') ?? null,
    roll_over: input.roll_over ?? before.roll_over,
  });
}

/** Deletes a cadence with its iterations, after clearing these from issues, in batches of one transaction each. */
export function deleteCadence(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  { id, group_id }: CadenceRow,
): Promise<undefined | Failure<'notFound'>> {
  return runInBatches(runUnitOfWork, caller, {
    recheck: (uow) => requireGroupAccess(uow, caller, group_id, MANAGE_ITERATIONS),
    async runBatch(uow) {
      const remainingWork = await runBatchSteps(
        () => clearIterationBatch(uow, id),
        () => deleteIterationBatch(uow, id),
      );
      if (remainingWork) return remainingWork;
      return (await deleteCadenceRow(uow, id)) ? undefined : fail('notFound');
    },
  });
}

/** Clears the cadence's iterations from one batch of issues and returns the number of issues. index: iterations_by_cadence */
function clearIterationBatch(tx: Transaction, cadenceId: number): Promise<number> {
  const iterations = tx.selectFrom('iterations').select('iterations.id').where('cadence_id', '=', cadenceId);
  return assignIterationBatch(tx, null, (issues) => issues.where('iteration_id', 'in', iterations));
}

/** Deletes one batch of iterations and returns their number. index: iterations_by_cadence */
async function deleteIterationBatch(tx: Transaction, cadenceId: number): Promise<number> {
  const batch = tx.selectFrom('iterations').select('id').where('cadence_id', '=', cadenceId).limit(BATCH_SIZE);
  const { numDeletedRows } = await tx.deleteFrom('iterations').where('id', 'in', batch).executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

// Validation of iteration cadences (contract/planning.md §3.10 "Model errors").

/** Maximum lengths in characters. */
export const MAX_TITLE_LENGTH = 255;
export const MAX_DESCRIPTION_LENGTH = 5000;

/** The latest start date. It leaves room for iterations: none may end after the year 9999. */
const LATEST_START_DATE = '9998-12-31';

/** Allowed durations in weeks. */
const DURATION_RANGE = { min: 1, max: 4 };
/** Allowed numbers of iterations in advance. */
const ADVANCE_RANGE = { min: 1, max: 10 };

/** Clears the attributes that only automatic cadences have. */
function normalizeCadence(content: CadenceContent): CadenceContent {
  if (content.automatic) return content;
  return { ...content, duration_in_weeks: null, iterations_in_advance: null, roll_over: false };
}

/**
 * Returns validation errors, or null. With `startsSchedule` the schedule begins at the start date, which then must not be so early
 * that the first iteration is over.
 */
function validateCadence(
  content: CadenceContent,
  today: string,
  { startsSchedule }: { readonly startsSchedule: boolean },
): FieldErrors | null {
  const {
    title,
    description,
    automatic,
    start_date,
    duration_in_weeks: weeks,
    iterations_in_advance: countInAdvance,
  } = content;
  const errors = compactFieldErrors({
    title: validateTitle(title),
    start_date: automatic ? validateStartDate(start_date) : [],
    duration_in_weeks: automatic ? validateNumber(weeks, DURATION_RANGE) : [],
    iterations_in_advance: automatic ? validateNumber(countInAdvance, ADVANCE_RANGE) : [],
    description: isLonger(description ?? '', MAX_DESCRIPTION_LENGTH) ? [tooLongMessage(MAX_DESCRIPTION_LENGTH)] : [],
  });
  if (errors || !automatic || !startsSchedule || start_date === null || weeks === null) return errors;
  const earliestStart = getEarliestStart(today, weeks);
  return start_date < earliestStart ? { base: [tooEarlyMessage(earliestStart)] } : null;
}

const isLonger = (text: string, max: number) => [...text].length > max;
const tooLongMessage = (max: number) => `is too long (maximum is ${max} characters)`;
const tooEarlyMessage = (earliestStart: string) =>
  `The automation start date would retroactively create a past iteration. ${earliestStart} is the earliest possible start date.`;

const BLANK = "can't be blank";
const OUT_OF_RANGE = 'is not included in the list';

function validateTitle(title: string): string[] {
  if (title === '') return [BLANK];
  return isLonger(title, MAX_TITLE_LENGTH) ? [tooLongMessage(MAX_TITLE_LENGTH)] : [];
}

function validateStartDate(start: string | null): string[] {
  if (start === null) return [BLANK];
  return start > LATEST_START_DATE ? [OUT_OF_RANGE] : [];
}

function validateNumber(value: number | null, { min, max }: { readonly min: number; readonly max: number }) {
  if (value === null) return [BLANK];
  return value < min || value > max ? [OUT_OF_RANGE] : [];
}
