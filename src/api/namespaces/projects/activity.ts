import { type AuditEvent, changed } from '#activity/index.ts';
import { VISIBILITY_NAMES, type Visibility } from '#authorization/visibility-levels.ts';
import type { Act } from '#events/unit-of-work.ts';

/** What a project's own life leaves in the history (contract/activity.md Part 3). */

interface Audited {
  readonly id: number;
  readonly full_path: string;
}

type Event = Pick<AuditEvent, 'name' | 'message' | 'details'>;

/** `shown`: how the target is called. */
async function audit(act: Act, { id, full_path: path }: Audited, event: Event, shown = path): Promise<void> {
  await act.record({
    ...event,
    entity: { type: 'Project', id, path },
    target: { type: 'Project', id, details: shown },
  });
}

const CREATED: Event = { name: 'project_created', message: 'Added project' };

export async function recordCreated(act: Act, project: Audited, creatorId: number): Promise<void> {
  await act.record({ projectId: project.id, authorId: creatorId, action: 'created', target: { type: 'Project' } });
  await audit(act, project, CREATED);
}

/** The one event of a project that comes from another server. */
export async function recordImported(act: Act, project: Audited, creatorId: number): Promise<void> {
  const how = { action: 'imported', importedFrom: 'gitlab_migration' } as const;
  await act.record({ projectId: project.id, authorId: creatorId, ...how, target: { type: 'Project' } });
  await audit(act, project, CREATED);
}

type Named = Audited & { readonly name: string };

export async function recordArchived(act: Act, project: Named, archived: boolean): Promise<void> {
  const event: Event = archived
    ? { name: 'project_archived', message: 'Project archived' }
    : { name: 'project_unarchived', message: 'Project unarchived' };
  await audit(act, project, event, project.name);
}

/** What of a project is watched. */
interface Watched {
  readonly name: string;
  readonly path: string;
  readonly description: string | null;
  readonly visibility: Visibility;
}

/** One event for each watched attribute that differs; `project` is where it is now. */
export async function recordChanges(act: Act, project: Audited, before: Watched, after: Watched): Promise<void> {
  if (before.name !== after.name) {
    await audit(act, project, { name: 'project_name_updated', ...changed('name', before.name, after.name) });
  }
  if (before.path !== after.path) {
    await audit(act, project, { name: 'project_path_updated', ...changed('path', before.path, after.path) });
  }
  if (before.description !== after.description) {
    const change = changed('description', before.description, after.description);
    await audit(act, project, { name: 'project_description_updated', ...change });
  }
  await recordProjectVisibility(act, project, before.visibility, after.visibility);
}

export async function recordProjectVisibility(
  act: Act,
  project: Audited,
  from: Visibility,
  to: Visibility,
): Promise<void> {
  if (from === to) return;
  const change = changed('visibility_level', VISIBILITY_NAMES[from], VISIBILITY_NAMES[to]);
  await audit(act, project, { name: 'project_visibility_level_updated', ...change });
}

/** From the namespace at one full path to that at another. */
export async function recordMoved(act: Act, project: Audited, from: string, to: string): Promise<void> {
  await audit(act, project, { name: 'project_namespace_updated', ...changed('namespace', from, to) });
}
