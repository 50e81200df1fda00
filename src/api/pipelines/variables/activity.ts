import { type AuditEvent, changed, INSTANCE as WHOLE_INSTANCE } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { KINDS, type Owner } from './owner.ts';
import type { StoredVariable } from './store.ts';

/** What becomes of variables, as the audit log tells it (contract/activity.md Part 3): of values only that they have changed. */

type Told = Pick<AuditEvent, 'message' | 'details'>;
type Deed = 'created' | 'updated' | 'deleted';

export function recordAdded(uow: UnitOfWork, owner: Owner, variable: StoredVariable): Promise<void> {
  const { words, event } = KINDS[owner.type];
  return record(uow, owner, variable, 'created', { message: `Added ${words}`, details: { add: event } });
}

export function recordRemoved(uow: UnitOfWork, owner: Owner, variable: StoredVariable): Promise<void> {
  const { words, event } = KINDS[owner.type];
  return record(uow, owner, variable, 'deleted', { message: `Removed ${words}`, details: { remove: event } });
}

/** An event for each thing that is another than before. */
export async function recordChanges(
  uow: UnitOfWork,
  owner: Owner,
  before: StoredVariable,
  after: StoredVariable,
  hasNewValue: boolean,
): Promise<void> {
  const told: Told[] = [
    ...differing('variable protection', Boolean(before.protected), Boolean(after.protected)),
    ...differing('variable masking', Boolean(before.masked), Boolean(after.masked)),
    ...differing('environment scope', before.environment_scope, after.environment_scope),
    ...(hasNewValue ? [changed('value(hidden)')] : []),
  ];
  for (const each of told) await record(uow, owner, after, 'updated', each);
}

function differing<V extends string | boolean>(what: string, before: V, after: V): Told[] {
  return before === after ? [] : [changed(what, before, after)];
}

function record(uow: UnitOfWork, owner: Owner, { id, key }: StoredVariable, deed: Deed, told: Told): Promise<void> {
  const { event, target } = KINDS[owner.type];
  return uow.record({
    name: `${event}_${deed}`,
    entity: entityOf(owner),
    target: { type: target, id, details: key },
    ...told,
  });
}

function entityOf(owner: Owner): AuditEvent['entity'] {
  if (owner.type === 'instance') return WHOLE_INSTANCE;
  return { type: owner.type === 'project' ? 'Project' : 'Group', id: owner.id, path: owner.full_path };
}
