import { type AuditEventName, INSTANCE } from '#activity/index.ts';
import { findOwnerProjectId, type Runner } from '#authorization/runners.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Audit events of runners (contract/activity.md Part 3). */

export async function recordRunnerCreated(uow: UnitOfWork, runner: Runner): Promise<void> {
  await recordEvent(uow, runner, { name: 'ci_runner_created', message: `Created ${getRunnerKind(runner)} CI runner` });
}

/** Records a registration. `token`: the registration token used; the audit log shows its first eight characters. */
export async function recordRunnerRegistered(uow: UnitOfWork, runner: Runner, token: string): Promise<void> {
  await recordEvent(uow, runner, {
    name: 'ci_runner_registered',
    message: `Registered ${getRunnerKind(runner)} CI runner`,
    details: { runner_registration_token: token.slice(0, 8) },
  });
}

/** Records the deletion of a runner, which must still exist. */
export async function recordRunnerUnregistered(uow: UnitOfWork, runner: Runner): Promise<void> {
  const lastContact = runner.contacted_at === null ? 'never contacted' : `last contacted ${runner.contacted_at}`;
  await recordEvent(uow, runner, {
    name: 'ci_runner_unregistered',
    message: `Unregistered ${getRunnerKind(runner)} CI runner, ${lastContact}`,
  });
}

/** Records that a runner was assigned to a project, or unassigned. */
export async function recordAssociation(
  uow: UnitOfWork,
  runner: Runner,
  {
    project,
    added,
  }: { readonly project: { readonly id: number; readonly full_path: string }; readonly added: boolean },
): Promise<void> {
  const { id, full_path } = project;
  await uow.record({
    name: added ? 'ci_runner_assigned_to_project' : 'ci_runner_unassigned_from_project',
    entity: { type: 'Project', id, path: full_path },
    target: { type: 'Ci::Runner', id: runner.id, details: `/${full_path}/-/runners/${runner.id}` },
    message: added ? 'Assigned CI runner to project' : 'Unassigned CI runner from project',
  });
}

interface RunnerEvent {
  readonly name: AuditEventName;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

async function recordEvent(uow: UnitOfWork, runner: Runner, event: RunnerEvent): Promise<void> {
  const { entity, page } = await findAuditLocation(uow, runner);
  await uow.record({ ...event, entity, target: { type: 'Ci::Runner', id: runner.id, details: page } });
}

/** Returns the entity whose audit log records the event, and the path of the runner's page. */
async function findAuditLocation(uow: UnitOfWork, { id, runner_type, group_id }: Runner) {
  if (group_id !== null) {
    const path = await getPath(uow, 'namespace_id', group_id);
    return { entity: { type: 'Group', id: group_id, path }, page: `/groups/${path}/-/runners/${id}` } as const;
  }
  const projectId = runner_type === 'project_type' ? await findOwnerProjectId(uow, id) : null;
  if (projectId === null) return { entity: INSTANCE, page: `/admin/runners/${id}` } as const;
  const path = await getPath(uow, 'project_id', projectId);
  return { entity: { type: 'Project', id: projectId, path }, page: `/${path}/-/runners/${id}` } as const;
}

// index: routes_by_namespace, routes_by_project
async function getPath(uow: UnitOfWork, column: 'namespace_id' | 'project_id', id: number): Promise<string> {
  const route = await uow.selectFrom('routes').select('full_path').where(column, '=', id).executeTakeFirst();
  return route?.full_path ?? '';
}

function getRunnerKind({ runner_type }: Pick<Runner, 'runner_type'>): string {
  return runner_type.replace('_type', '');
}
