import type { SignedInCaller } from '#authentication/caller.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { scheduleAnew } from './schedule.ts';
import { type CadenceContent, type CadenceRow, insertCadence, manualCadenceTitled } from './store.ts';
import { completed, contentErrors } from './validation.ts';

/** Makes a cadence of this group, and the iterations of an automatic one. */
export async function createCadence(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id'>,
  given: CadenceContent,
): Promise<CadenceRow | Failure<'invalid'>> {
  const content = completed({ ...given, title: given.title.trim() });
  const errors = contentErrors(content, uow.today, true);
  if (errors) return invalid(errors);
  return scheduleAnew(uow, await insertCadence(uow, group.id, content));
}

/** The cadence of a group whose people make iterations without naming one. */
export function createManualCadence(uow: UnitOfWork, { id, name }: Pick<Group, 'id' | 'name'>): Promise<CadenceRow> {
  return insertManual(uow, id, `${name} Iterations`);
}

const IMPORTED = 'Imported iterations';

/** The cadence of a group that has all iterations from other servers (contract/operations.md §1.4); made with the first of them. */
export async function importedCadence(uow: UnitOfWork, { id }: Pick<Group, 'id'>): Promise<CadenceRow> {
  return (await manualCadenceTitled(uow, id, IMPORTED)) ?? insertManual(uow, id, IMPORTED);
}

function insertManual(uow: UnitOfWork, groupId: number, title: string): Promise<CadenceRow> {
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
