import { type AuditEvent, describeChange, INSTANCE } from '#activity/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { OWNER_TYPES, type VariableOwner } from './owner.ts';
import type { CiVariableRow } from './store.ts';

/**
 * Audit events of variables (contract/activity.md Part 3). They never contain values, only the fact that a value
 * changed.
 */

type VariableAuditEvent = Pick<AuditEvent, 'message' | 'details'>;
type VariableAction = 'created' | 'updated' | 'deleted';

export function recordVariableCreated(uow: UnitOfWork, owner: VariableOwner, variable: CiVariableRow): Promise<void> {
  const { auditNoun, auditEventPrefix } = OWNER_TYPES[owner.type];
  return record(uow, owner, variable, 'created', { message: `Added ${auditNoun}`, details: { add: auditEventPrefix } });
}

export function recordVariableDeleted(uow: UnitOfWork, owner: VariableOwner, variable: CiVariableRow): Promise<void> {
  const { auditNoun, auditEventPrefix } = OWNER_TYPES[owner.type];
  return record(uow, owner, variable, 'deleted', {
    message: `Removed ${auditNoun}`,
    details: { remove: auditEventPrefix },
  });
}

/** Records one event for each changed attribute. */
export async function recordVariableUpdated(
  uow: UnitOfWork,
  owner: VariableOwner,
  before: CiVariableRow,
  after: CiVariableRow,
  hasNewValue: boolean,
): Promise<void> {
  const events: VariableAuditEvent[] = [
    ...describeIfChanged('variable protection', Boolean(before.protected), Boolean(after.protected)),
    ...describeIfChanged('variable masking', Boolean(before.masked), Boolean(after.masked)),
    ...describeIfChanged('environment scope', before.environment_scope, after.environment_scope),
    ...(hasNewValue ? [describeChange('value(hidden)')] : []),
  ];
  for (const event of events) await record(uow, owner, after, 'updated', event);
}

/** Returns one event if the values differ, else none. */
function describeIfChanged<V extends string | boolean>(property: string, before: V, after: V): VariableAuditEvent[] {
  return before === after ? [] : [describeChange(property, before, after)];
}

function record(
  uow: UnitOfWork,
  owner: VariableOwner,
  { id, key }: CiVariableRow,
  action: VariableAction,
  auditEvent: VariableAuditEvent,
): Promise<void> {
  const { auditEventPrefix, auditTargetType } = OWNER_TYPES[owner.type];
  return uow.record({
    name: `${auditEventPrefix}_${action}`,
    entity: toAuditEntity(owner),
    target: { type: auditTargetType, id, details: key },
    ...auditEvent,
  });
}

function toAuditEntity(owner: VariableOwner): AuditEvent['entity'] {
  if (owner.type === 'instance') return INSTANCE;
  return { type: owner.type === 'project' ? 'Project' : 'Group', id: owner.id, path: owner.full_path };
}
