import { type AuditEvent, describeChange } from '#activity/index.ts';
import { VISIBILITY_NAMES, type Visibility } from '#authorization/visibility.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Audit events of changes to groups (contract/activity.md Part 3). */

type GroupAuditEvent = Pick<AuditEvent, 'name' | 'message' | 'details'>;
type AuditedGroup = Pick<Group, 'id' | 'full_path'>;
type AuditedAttributes = Pick<Group, 'name' | 'path' | 'description' | 'visibility'>;

async function recordAuditEvent(
  uow: UnitOfWork,
  { id, full_path }: AuditedGroup,
  event: GroupAuditEvent,
): Promise<void> {
  await uow.record({
    ...event,
    entity: { type: 'Group', id, path: full_path },
    target: { type: 'Group', id, details: full_path },
  });
}

/** Records the audit event of a new group. */
export function recordGroupCreated(uow: UnitOfWork, group: AuditedGroup): Promise<void> {
  return recordAuditEvent(uow, group, { name: 'group_created', message: 'Added group' });
}

/** Records one event for each changed attribute. `group` is its current state. */
export async function recordGroupChanges(
  uow: UnitOfWork,
  group: AuditedGroup,
  before: AuditedAttributes,
  after: AuditedAttributes,
): Promise<void> {
  await recordTextChange(uow, group, 'name', before, after);
  await recordTextChange(uow, group, 'path', before, after);
  await recordGroupVisibility(uow, group, before.visibility, after.visibility);
  await recordTextChange(uow, group, 'description', before, after);
}

/** Records the change of one attribute; does nothing if its values are equal. */
async function recordTextChange(
  uow: UnitOfWork,
  group: AuditedGroup,
  name: 'name' | 'path' | 'description',
  before: AuditedAttributes,
  after: AuditedAttributes,
): Promise<void> {
  if (before[name] === after[name]) return;
  const change = describeChange(name, before[name], after[name]);
  await recordAuditEvent(uow, group, { name: `group_${name}_updated`, ...change });
}

/** Records a change of the visibility; does nothing if both values are equal. */
export async function recordGroupVisibility(
  uow: UnitOfWork,
  group: AuditedGroup,
  from: Visibility,
  to: Visibility,
): Promise<void> {
  if (from === to) return;
  const change = describeChange('visibility_level', VISIBILITY_NAMES[from], VISIBILITY_NAMES[to]);
  await recordAuditEvent(uow, group, { name: 'group_visibility_level_updated', ...change });
}

/** Records the event in the audit log of the root group, because a destroyed subgroup has no log any more. */
export function recordGroupDestroyed(uow: UnitOfWork, group: AuditedGroup, root: AuditedGroup): Promise<void> {
  return uow.record({
    name: 'group_destroyed',
    entity: { type: 'Group', id: root.id, path: root.full_path },
    target: { type: 'Group', id: group.id, details: group.full_path },
    message: 'Group destroyed',
    details: { remove: 'group' },
  });
}
