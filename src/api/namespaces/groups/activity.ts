import { type AuditEvent, changed } from '#activity/index.ts';
import { VISIBILITY_NAMES, type Visibility } from '#authorization/visibility-levels.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** What a change of groups leaves in the history (contract/activity.md Part 3). */

type Event = Pick<AuditEvent, 'name' | 'message' | 'details'>;
type Audited = Pick<Group, 'id' | 'full_path'>;
type Watched = Pick<Group, 'name' | 'path' | 'description' | 'visibility'>;

async function audit(uow: UnitOfWork, { id, full_path }: Audited, event: Event): Promise<void> {
  await uow.record({
    ...event,
    entity: { type: 'Group', id, path: full_path },
    target: { type: 'Group', id, details: full_path },
  });
}

export function recordCreated(uow: UnitOfWork, group: Audited): Promise<void> {
  return audit(uow, group, { name: 'group_created', message: 'Added group' });
}

/** One event for each watched attribute that differs; `group` is where it is now. */
export async function recordChanges(uow: UnitOfWork, group: Audited, before: Watched, after: Watched): Promise<void> {
  if (before.name !== after.name) {
    await audit(uow, group, { name: 'group_name_updated', ...changed('name', before.name, after.name) });
  }
  if (before.path !== after.path) {
    await audit(uow, group, { name: 'group_path_updated', ...changed('path', before.path, after.path) });
  }
  await recordVisibility(uow, group, before.visibility, after.visibility);
  if (before.description !== after.description) {
    const change = changed('description', before.description, after.description);
    await audit(uow, group, { name: 'group_description_updated', ...change });
  }
}

export async function recordVisibility(
  uow: UnitOfWork,
  group: Audited,
  from: Visibility,
  to: Visibility,
): Promise<void> {
  if (from === to) return;
  const change = changed('visibility_level', VISIBILITY_NAMES[from], VISIBILITY_NAMES[to]);
  await audit(uow, group, { name: 'group_visibility_level_updated', ...change });
}

/** The log of what is left: that of the group at the top, which may be the destroyed one itself. */
export function recordDestroyed(uow: UnitOfWork, group: Audited, root: Audited): Promise<void> {
  return uow.record({
    name: 'group_destroyed',
    entity: { type: 'Group', id: root.id, path: root.full_path },
    target: { type: 'Group', id: group.id, details: group.full_path },
    message: 'Group destroyed',
    details: { remove: 'group' },
  });
}
