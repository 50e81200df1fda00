import { closeIssue } from '#api/planning/issues/index.ts';
import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { getAlertBotId } from '#authentication/users/alert-bot.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { subscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { settingsAmong } from '../incident-management-settings/index.ts';
import { makeIncident } from './create.ts';
import { openIncidentsOf, withIncident, withoutIncident } from './store.ts';

/** What projects make by themselves of alerts that were reported (contract/monitoring.md §7). */

interface Reported {
  readonly projectId: number;
  readonly alertIds: readonly number[];
}

type Working = Pick<Services, 'runUnitOfWork' | 'database' | 'git' | 'serverUrl'>;

/** Makes the incidents of alerts that have none. */
export const makeIncidents = defineJob({
  kind: 'incidents_of_alerts',
  async handle(services: Working, { projectId, alertIds }: Reported, { signal }) {
    const place = await placeOf(services.database.reader, projectId);
    // The next payload asks again.
    if (place === null || place.project.issues_access_level === 'disabled') return;
    const url = services.serverUrl();
    const { auto_close_incident: closeResolved } = (await settingsAmong(services.database.reader, [projectId]))(
      projectId,
    );
    for (const alertId of alertIds) {
      signal.throwIfAborted();
      await makeIncident(services, place.bot, { project: place.project, alertId, url, closeResolved });
    }
  },
});

/** Closes the incidents of alerts that have recovered. */
export const closeIncidents = defineJob({
  kind: 'recovered_incidents',
  async handle({ database, runUnitOfWork }: Working, { projectId, alertIds }: Reported) {
    const place = await placeOf(database.reader, projectId);
    if (place === null) return;
    for (const incident of await openIncidentsOf(database.reader, alertIds).execute()) {
      await runUnitOfWork(place.bot, (uow) => closeIssue(uow, incident));
    }
  },
});

/** The project as the bot sees it; null where nothing is to be done in it any more. */
async function placeOf(
  db: Reader,
  projectId: number,
): Promise<{ readonly bot: SignedInCaller; readonly project: Project } | null> {
  const bot = await loadActor(db, await getAlertBotId(db));
  const project = await findProject(db, bot, String(projectId));
  if (!isSignedIn(bot) || project === null || project.archived) return null;
  return { bot, project };
}

/** Part of the act that stores the alerts: a few statements, however many they are, and nothing else where nobody wants it. */
export const followAlerts = subscription({
  event: 'alerts-reported',
  async inTransaction(uow, { projectIds, fired, resolved }) {
    const settings = await settingsAmong(uow, projectIds);
    const want = (choice: 'create_issue' | 'auto_close_incident') => projectIds.some((id) => settings(id)[choice]);
    if (fired.length > 0 && want('create_issue')) {
      const found = await withoutIncident(uow, fired);
      const wanted = found.filter(({ project_id }) => settings(project_id).create_issue);
      for (const reported of byProject(wanted)) await enqueue(uow, makeIncidents, reported);
    }
    if (resolved.length > 0 && want('auto_close_incident')) {
      const found = await withIncident(uow, resolved);
      const wanted = found.filter(({ project_id }) => settings(project_id).auto_close_incident);
      for (const reported of byProject(wanted)) await enqueue(uow, closeIncidents, reported);
    }
  },
});

function byProject(alerts: readonly { readonly id: number; readonly project_id: number }[]): Reported[] {
  const groups = Map.groupBy(alerts, ({ project_id }) => project_id);
  return [...groups].map(([projectId, some]) => ({ projectId, alertIds: some.map(({ id }) => id) }));
}
