import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { AlertStatus } from '#database/tables/alerts.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { NOTES, saySystemNotes, stepAlerts } from '../alerts/index.ts';
import { type AlertRow, findAlert, setAssignee } from './store.ts';

interface Change {
  readonly status?: AlertStatus | null | undefined;
  /** Of those who are named the first counts; nobody: nobody is assigned. */
  readonly assignee_ids?: readonly number[] | null | undefined;
  readonly assignee_usernames?: readonly string[] | null | undefined;
}

/**
 * Says how it stands with an alert, and who looks after it (contract/monitoring.md §6): all of it, or nothing. Another alert that
 * is unresolved and has its fingerprint is found by the unique index.
 */
export async function updateAlert(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { iid }: Pick<AlertRow, 'iid'>,
  { status, ...change }: Change,
): Promise<AlertRow | Failure<'gone' | 'noPermissions'>> {
  const alert = await findAlert(uow, project, iid);
  if (alert === null) return fail('gone');
  if (change.assignee_ids != null || change.assignee_usernames != null) {
    const assigned = await assign(uow, project, alert, change);
    if (!assigned) return fail('noPermissions');
  }
  if (status != null && status !== alert.status) {
    await stepAlerts(uow, uow.actor.user.id, [{ id: alert.id, to: status, notes: [NOTES.status(status)] }]);
  }
  return (await findAlert(uow, project, iid)) ?? fail('gone');
}

/** False: whoever is wanted is not there, or may not see the alert. */
async function assign(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  alert: AlertRow,
  change: Change,
): Promise<boolean> {
  const wanted = await wantedUser(uow, change);
  if (wanted === 'unknown' || (wanted !== null && !(await mayRead(uow, project, wanted)))) return false;
  if ((wanted?.id ?? null) === alert.assignee_id) return true;
  const before = alert.assignee_id === null ? null : await findUserById(uow, alert.assignee_id);
  await setAssignee(uow, alert.id, wanted?.id ?? null);
  const said = [wanted && NOTES.assigned(wanted.username), before && NOTES.unassigned(before.username)];
  const authorId = uow.actor.user.id;
  await saySystemNotes(
    uow,
    said.flatMap((body) => (body === null ? [] : [{ alertId: alert.id, authorId, body }])),
  );
  return true;
}

async function wantedUser(
  uow: UnitOfWork,
  { assignee_ids: ids, assignee_usernames: names }: Change,
): Promise<User | null | 'unknown'> {
  const [id, name] = [ids?.[0], names?.[0]];
  if (id !== undefined) return (await findUserById(uow, id)) ?? 'unknown';
  return name === undefined ? null : ((await findUserByUsername(uow, name)) ?? 'unknown');
}

async function mayRead(uow: UnitOfWork, { id }: Project, user: User): Promise<boolean> {
  const caller = await loadActor(uow, user.id);
  const project = await findProject(uow, caller, String(id));
  return project !== null && mayInProject(caller, 'read_alert_management_alert', project);
}
