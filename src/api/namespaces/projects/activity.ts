import { type AuditEvent, changed } from '#activity/index.ts';
import { VISIBILITY_NAMES, type Visibility } from '#authorization/visibility-levels.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** What a project's own life leaves in the history (contract/activity.md Part 3). */

interface Audited {
  readonly id: number;
  readonly full_path: string;
}

type Event = Pick<AuditEvent, 'name' | 'message' | 'details'>;

/** `shown`: how the target is called. */
async function audit(uow: UnitOfWork, { id, full_path: path }: Audited, event: Event, shown = path): Promise<void> {
  await uow.record({
    ...event,
    entity: { type: 'Project', id, path },
    target: { type: 'Project', id, details: shown },
  });
}

const CREATED: Event = { name: 'project_created', message: 'Added project' };

export async function recordCreated(uow: UnitOfWork, project: Audited, creatorId: number): Promise<void> {
  await uow.record({ projectId: project.id, authorId: creatorId, action: 'created', target: { type: 'Project' } });
  await audit(uow, project, CREATED);
}

/** The one event of a project that comes from another server. */
export async function recordImported(uow: UnitOfWork, project: Audited, creatorId: number): Promise<void> {
  const how = { action: 'imported', importedFrom: 'gitlab_migration' } as const;
  await uow.record({ projectId: project.id, authorId: creatorId, ...how, target: { type: 'Project' } });
  await audit(uow, project, CREATED);
}

type Named = Audited & { readonly name: string };

export async function recordArchived(uow: UnitOfWork, project: Named, archived: boolean): Promise<void> {
  const event: Event = archived
    ? { name: 'project_archived', message: 'Project archived' }
    : { name: 'project_unarchived', message: 'Project unarchived' };
  await audit(uow, project, event, project.name);
}

/** What of a project is watched. */
interface Watched {
  readonly name: string;
  readonly path: string;
  readonly description: string | null;
  readonly visibility: Visibility;
}

/** One event for each watched attribute that differs; `project` is where it is now. */
export async function recordChanges(uow: UnitOfWork, project: Audited, before: Watched, after: Watched): Promise<void> {
  if (before.name !== after.name) {
    await audit(uow, project, { name: 'project_name_updated', ...changed('name', before.name, after.name) });
  }
  if (before.path !== after.path) {
    await audit(uow, project, { name: 'project_path_updated', ...changed('path', before.path, after.path) });
  }
  if (before.description !== after.description) {
    const change = changed('description', before.description, after.description);
    await audit(uow, project, { name: 'project_description_updated', ...change });
  }
  await recordProjectVisibility(uow, project, before.visibility, after.visibility);
}

export async function recordProjectVisibility(
  uow: UnitOfWork,
  project: Audited,
  from: Visibility,
  to: Visibility,
): Promise<void> {
  if (from === to) return;
  const change = changed('visibility_level', VISIBILITY_NAMES[from], VISIBILITY_NAMES[to]);
  await audit(uow, project, { name: 'project_visibility_level_updated', ...change });
}

/** From the namespace at one full path to that at another. */
export async function recordMoved(uow: UnitOfWork, project: Audited, from: string, to: string): Promise<void> {
  await audit(uow, project, { name: 'project_namespace_updated', ...changed('namespace', from, to) });
}
