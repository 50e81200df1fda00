import type { SignedInCaller } from '#authentication/caller.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { AlertStatus } from '#database/schema.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { insertSystemNotes, SYSTEM_NOTE_TEXTS, transitionAlerts } from '../alerts/index.ts';
import { type AlertRow, findAlert, setAssignee } from './store.ts';

interface UpdateAlertInput {
  readonly status?: AlertStatus | null | undefined;
  /** The first user becomes the assignee; an empty list removes the assignee. */
  readonly assignee_ids?: readonly number[] | null | undefined;
  readonly assignee_usernames?: readonly string[] | null | undefined;
}

/**
 * Updates the status and the assignee of an alert in one transaction (contract/monitoring.md §6). The unique index detects
 * another unresolved alert with the same fingerprint.
 */
export async function updateAlert(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  { iid }: Pick<AlertRow, 'iid'>,
  { status, ...assigneeInput }: UpdateAlertInput,
): Promise<AlertRow | Failure<'notFound' | 'assigneeMayNotRead'>> {
  const alert = await findAlert(uow, project, iid);
  if (alert === null) return fail('notFound');
  if (assigneeInput.assignee_ids != null || assigneeInput.assignee_usernames != null) {
    const isAssigned = await updateAssignee(uow, project, alert, assigneeInput);
    if (!isAssigned) return fail('assigneeMayNotRead');
  }
  if (status != null && status !== alert.status) {
    await transitionAlerts(uow, uow.actor.user.id, [
      { id: alert.id, newStatus: status, notes: [SYSTEM_NOTE_TEXTS.status(status)] },
    ]);
  }
  return (await findAlert(uow, project, iid)) ?? fail('notFound');
}

/** Sets or removes the assignee and creates system notes. Returns false if the user does not exist or may not read the alert. */
async function updateAssignee(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  alert: AlertRow,
  input: UpdateAlertInput,
): Promise<boolean> {
  const assignee = await findRequestedAssignee(uow, input);
  if (assignee === 'unknown' || (assignee !== null && !(await mayReadAlerts(uow, project, assignee)))) return false;
  if ((assignee?.id ?? null) === alert.assignee_id) return true;
  const previousAssignee = alert.assignee_id === null ? null : await findUserById(uow, alert.assignee_id);
  await setAssignee(uow, alert.id, assignee?.id ?? null);
  const notes = [
    assignee && SYSTEM_NOTE_TEXTS.assigned(assignee.username),
    previousAssignee && SYSTEM_NOTE_TEXTS.unassigned(previousAssignee.username),
  ];
  const authorId = uow.actor.user.id;
  await insertSystemNotes(
    uow,
    notes.flatMap((body) => (body === null ? [] : [{ alertId: alert.id, authorId, body }])),
  );
  return true;
}

/** Returns the requested assignee; null to remove the assignee, or `unknown` if the user does not exist. An id takes precedence. */
async function findRequestedAssignee(
  uow: UnitOfWork,
  { assignee_ids: ids, assignee_usernames: usernames }: UpdateAlertInput,
): Promise<User | null | 'unknown'> {
  const [id, username] = [ids?.[0], usernames?.[0]];
  if (id !== undefined) return (await findUserById(uow, id)) ?? 'unknown';
  return username === undefined ? null : ((await findUserByUsername(uow, username)) ?? 'unknown');
}

async function mayReadAlerts(uow: UnitOfWork, { id }: Project, user: User): Promise<boolean> {
  const caller = await loadActor(uow, user.id);
  const project = await findProject(uow, caller, String(id));
  return project !== null && mayInProject(caller, 'read_alert_management_alert', project);
}
