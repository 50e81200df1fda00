import type { SignedIn } from '#authentication/caller.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { Act } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { scheduleAnew } from './schedule.ts';
import { type CadenceContent, type CadenceRow, insertCadence, manualCadenceTitled } from './store.ts';
import { completed, contentErrors } from './validation.ts';

/** Makes a cadence of this group, and the iterations of an automatic one. */
export async function createCadence(
  act: Act<SignedIn>,
  group: Pick<Group, 'id'>,
  given: CadenceContent,
): Promise<CadenceRow | Failure<'invalid'>> {
  const content = completed({ ...given, title: given.title.trim() });
  const errors = contentErrors(content, act.today, true);
  if (errors) return invalid(errors);
  return scheduleAnew(act, await insertCadence(act, group.id, content));
}

/** The cadence of a group whose people make iterations without naming one. */
export function createManualCadence(act: Act, { id, name }: Pick<Group, 'id' | 'name'>): Promise<CadenceRow> {
  return insertManual(act, id, `${name} Iterations`);
}

const IMPORTED = 'Imported iterations';

/** The cadence of a group that has all iterations from other servers (contract/operations.md §1.4); made with the first of them. */
export async function importedCadence(act: Act, { id }: Pick<Group, 'id'>): Promise<CadenceRow> {
  return (await manualCadenceTitled(act, id, IMPORTED)) ?? insertManual(act, id, IMPORTED);
}

function insertManual(act: Act, groupId: number, title: string): Promise<CadenceRow> {
  return insertCadence(act, groupId, {
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
