import { type AuditEvent, describeChange } from '#activity/index.ts';
import { VISIBILITY_NAMES, type Visibility } from '#authorization/visibility.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Activity and audit events of projects (contract/activity.md Part 3). */

type AuditedProject = Pick<Project, 'id' | 'full_path'>;

type ProjectAuditEvent = Pick<AuditEvent, 'name' | 'message' | 'details'>;

/** Records an audit event of the project. `displayName`: name of the target in the event. */
async function recordAuditEvent(
  uow: UnitOfWork,
  { id, full_path: path }: AuditedProject,
  event: ProjectAuditEvent,
  displayName = path,
): Promise<void> {
  await uow.record({
    ...event,
    entity: { type: 'Project', id, path },
    target: { type: 'Project', id, details: displayName },
  });
}

const PROJECT_CREATED: ProjectAuditEvent = { name: 'project_created', message: 'Added project' };

/** Records the activity event and the audit event of a new project. */
export async function recordProjectCreated(uow: UnitOfWork, project: AuditedProject, creatorId: number): Promise<void> {
  await uow.record({ projectId: project.id, authorId: creatorId, action: 'created', target: { type: 'Project' } });
  await recordAuditEvent(uow, project, PROJECT_CREATED);
}

/** Records the import of a project from another server. */
export async function recordProjectImported(
  uow: UnitOfWork,
  project: AuditedProject,
  creatorId: number,
): Promise<void> {
  const importDetails = { action: 'imported', importedFrom: 'gitlab_migration' } as const;
  await uow.record({ projectId: project.id, authorId: creatorId, ...importDetails, target: { type: 'Project' } });
  await recordAuditEvent(uow, project, PROJECT_CREATED);
}

type NamedProject = AuditedProject & { readonly name: string };

/** Records the audit event of an archived or unarchived project. */
export async function recordProjectArchived(uow: UnitOfWork, project: NamedProject, archived: boolean): Promise<void> {
  const event: ProjectAuditEvent = archived
    ? { name: 'project_archived', message: 'Project archived' }
    : { name: 'project_unarchived', message: 'Project unarchived' };
  await recordAuditEvent(uow, project, event, project.name);
}

/** Attributes whose changes are audited. */
type AuditedAttributes = Columns<'projects', 'name' | 'path' | 'description' | 'visibility'>;

/** Records one event for each changed attribute. `project` is its current state. */
export async function recordProjectChanges(
  uow: UnitOfWork,
  project: AuditedProject,
  before: AuditedAttributes,
  after: AuditedAttributes,
): Promise<void> {
  for (const name of ['name', 'path', 'description'] as const) {
    if (before[name] === after[name]) continue;
    const change = describeChange(name, before[name], after[name]);
    await recordAuditEvent(uow, project, { name: `project_${name}_updated`, ...change });
  }
  await recordProjectVisibility(uow, project, before.visibility, after.visibility);
}

/** Records a change of the visibility; does nothing if both values are equal. */
export async function recordProjectVisibility(
  uow: UnitOfWork,
  project: AuditedProject,
  before: Visibility,
  after: Visibility,
): Promise<void> {
  if (before === after) return;
  const change = describeChange('visibility_level', VISIBILITY_NAMES[before], VISIBILITY_NAMES[after]);
  await recordAuditEvent(uow, project, { name: 'project_visibility_level_updated', ...change });
}

/** Records a transfer between the namespaces with these full paths. */
export async function recordProjectTransferred(
  uow: UnitOfWork,
  project: AuditedProject,
  oldNamespacePath: string,
  newNamespacePath: string,
): Promise<void> {
  const change = describeChange('namespace', oldNamespacePath, newNamespacePath);
  await recordAuditEvent(uow, project, { name: 'project_namespace_updated', ...change });
}
