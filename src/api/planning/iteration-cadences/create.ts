import type { SignedInCaller } from '#authentication/caller.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { rescheduleCadence } from './schedule.ts';
import { type CadenceContent, type CadenceRow, findManualCadenceByTitle, insertCadence } from './store.ts';
import { normalizeCadence, validateCadence } from './validation.ts';

/** Creates a cadence in this group and, if it is automatic, its iterations. */
export async function createCadence(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id'>,
  input: CadenceContent,
): Promise<CadenceRow | Failure<'invalid'>> {
  const content = normalizeCadence({ ...input, title: input.title.trim() });
  const startsSchedule = true;
  const errors = validateCadence(content, uow.today, startsSchedule);
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
