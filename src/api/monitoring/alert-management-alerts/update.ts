import type { SignedIn } from '#authentication/caller.ts';
import { findUser, readUser, type User } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { AlertStatus } from '#database/tables/alerts.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { Act } from '#events/unit-of-work.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import { type Failure, refused } from '#runtime/failure.ts';
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
  act: Act<SignedIn>,
  project: Project,
  { iid }: Pick<AlertRow, 'iid'>,
  { status, ...change }: Change,
): Promise<AlertRow | Failure<'gone' | 'noPermissions'>> {
  const alert = await findAlert(act, project, iid);
  if (alert === null) return refused('gone');
  if (change.assignee_ids != null || change.assignee_usernames != null) {
    const assigned = await assign(act, project, alert, change);
    if (!assigned) return refused('noPermissions');
  }
  if (status != null && status !== alert.status) {
    await stepAlerts(act, act.by.user.id, [{ id: alert.id, to: status, notes: [NOTES.status(status)] }]);
  }
  return (await findAlert(act, project, iid)) ?? refused('gone');
}

/** False: whoever is wanted is not there, or may not see the alert. */
async function assign(act: Act<SignedIn>, project: Project, alert: AlertRow, change: Change): Promise<boolean> {
  const wanted = await wantedUser(act, change);
  if (wanted === 'unknown' || (wanted !== null && !(await mayRead(act, project, wanted)))) return false;
  if ((wanted?.id ?? null) === alert.assignee_id) return true;
  const before = alert.assignee_id === null ? null : await readUser(act, alert.assignee_id);
  await setAssignee(act, alert.id, wanted?.id ?? null);
  const said = [wanted && NOTES.assigned(wanted.username), before && NOTES.unassigned(before.username)];
  const authorId = act.by.user.id;
  await saySystemNotes(
    act,
    said.flatMap((body) => (body === null ? [] : [{ alertId: alert.id, authorId, body }])),
  );
  return true;
}

async function wantedUser(
  act: Act,
  { assignee_ids: ids, assignee_usernames: names }: Change,
): Promise<User | null | 'unknown'> {
  const [id, name] = [ids?.[0], names?.[0]];
  if (id !== undefined) return (await readUser(act, id)) ?? 'unknown';
  return name === undefined ? null : ((await findUser(act, name)) ?? 'unknown');
}

async function mayRead(act: Act, { id }: Project, user: User): Promise<boolean> {
  const caller = await actorOf(act, user.id);
  const project = await findProject(act, caller, String(id));
  return project !== null && mayInProject(caller, 'read_alert_management_alert', project);
}
