import { closeIssue } from '#api/planning/issues/index.ts';
import { enqueueSystemNotification, isMailEnabled } from '#api/planning/mail-messages/index.ts';
import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { getAlertBotId } from '#authentication/users/bootstrap.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { loadIncidentSettings } from '../incident-management-settings/index.ts';
import { createIncidentFromAlert } from './create.ts';
import {
  buildOpenIncidentsQuery,
  loadAlertsWithIncident,
  loadAlertsWithoutIncident,
  loadNewOrResolvedAlerts,
} from './store.ts';

// Creates and closes incidents automatically when alerts are reported (contract/monitoring.md §7).

interface ReportedAlerts {
  readonly projectId: number;
  readonly alertIds: readonly number[];
}

type IncidentJobServices = Pick<Services, 'runUnitOfWork' | 'database' | 'git' | 'serverUrl'>;

/** Creates incidents for alerts that have none. */
export const createIncidentsJob = defineJob({
  kind: 'create_alert_incidents',
  async handle(services: IncidentJobServices, { projectId, alertIds }: ReportedAlerts, { signal }) {
    const botProject = await loadProjectAsBot(services.database.reader, projectId);
    // The alerts stay without an incident; their next report enqueues the job again.
    if (botProject === null || botProject.project.issues_access_level === 'disabled') return;
    const url = services.serverUrl();
    const { auto_close_incident: closeResolved } = (await loadIncidentSettings(services.database.reader, [projectId]))(
      projectId,
    );
    for (const alertId of alertIds) {
      signal.throwIfAborted();
      await createIncidentFromAlert(services, botProject.bot, {
        project: botProject.project,
        alertId,
        url,
        closeResolved,
      });
    }
  },
});

/** Closes the incidents of resolved alerts. */
export const closeIncidentsJob = defineJob({
  kind: 'close_recovered_incidents',
  async handle({ database, runUnitOfWork }: IncidentJobServices, { projectId, alertIds }: ReportedAlerts) {
    const botProject = await loadProjectAsBot(database.reader, projectId);
    if (botProject === null) return;
    for (const incident of await buildOpenIncidentsQuery(database.reader, alertIds).execute()) {
      await runUnitOfWork(botProject.bot, (uow) => closeIssue(uow, incident));
    }
  },
});

/** Returns the bot and the project as the bot sees it, or null if the project is not accessible or is archived. */
async function loadProjectAsBot(
  db: Reader,
  projectId: number,
): Promise<{ readonly bot: SignedInCaller; readonly project: Project } | null> {
  const bot = await loadActor(db, await getAlertBotId(db));
  const project = await findProject(db, bot, String(projectId));
  if (!isSignedIn(bot) || project === null || project.archived) return null;
  return { bot, project };
}

/** Enqueues jobs for the projects that enable them, in the transaction that stores the alerts. */
export const onAlertsReported = defineSubscription({
  event: 'alerts-reported',
  async inTransaction(uow, { projectIds, fired, resolved }) {
    const getSettings = await loadIncidentSettings(uow, projectIds);
    const isEnabledInAny = (setting: 'create_issue' | 'auto_close_incident') =>
      projectIds.some((id) => getSettings(id)[setting]);
    if (fired.length > 0 && isEnabledInAny('create_issue')) {
      const alertRows = await loadAlertsWithoutIncident(uow, fired);
      const eligibleAlerts = alertRows.filter(({ project_id }) => getSettings(project_id).create_issue);
      for (const reportedAlerts of groupByProject(eligibleAlerts))
        await enqueue(uow, createIncidentsJob, reportedAlerts);
    }
    if (resolved.length > 0 && isEnabledInAny('auto_close_incident')) {
      const alertRows = await loadAlertsWithIncident(uow, resolved);
      const eligibleAlerts = alertRows.filter(({ project_id }) => getSettings(project_id).auto_close_incident);
      for (const reportedAlerts of groupByProject(eligibleAlerts))
        await enqueue(uow, closeIncidentsJob, reportedAlerts);
    }
  },
});

function groupByProject(alerts: readonly { readonly id: number; readonly project_id: number }[]): ReportedAlerts[] {
  const groups = Map.groupBy(alerts, ({ project_id }) => project_id);
  return [...groups].map(([projectId, projectAlerts]) => ({ projectId, alertIds: projectAlerts.map(({ id }) => id) }));
}

// Sends mails about new and resolved alerts to the owners and maintainers of the project, if the project enables them.

interface ReportedAlertMail {
  readonly alertId: number;
  /** When the alert was resolved; null for a new alert. */
  readonly endedAt: string | null;
}

/** Queues the mails. The payload's key `happened` is stored: never rename it. */
export const sendAlertMails = defineJob({
  kind: 'send_alert_mails',
  async handle(
    { database }: Pick<Services, 'database'>,
    { happened }: { readonly happened: readonly ReportedAlertMail[] },
  ) {
    await database.transaction(async (tx) => {
      for (const { alertId, endedAt } of happened) {
        const event = endedAt === null ? 'alert_triggered' : 'alert_resolved';
        // The key prevents a second mail when the job runs again.
        await enqueueSystemNotification(
          tx,
          { event, about: { type: 'Alert', id: alertId } },
          `${event} ${alertId} ${endedAt ?? ''}`,
        );
      }
    });
  },
});

/** Enqueues one job for all alerts, in the transaction that stores them. */
export const enqueueAlertMails = defineSubscription({
  event: 'alerts-reported',
  isEnabled: isMailEnabled,
  async inTransaction(uow, { projectIds, fired, resolved }) {
    const getSettings = await loadIncidentSettings(uow, projectIds);
    if (!projectIds.some((id) => getSettings(id).send_email)) return;
    const alertRows = await loadNewOrResolvedAlerts(uow, [...fired, ...resolved], { now: uow.now });
    const alertMails = alertRows
      .filter(({ project_id }) => getSettings(project_id).send_email)
      .map(({ id: alertId, ended_at: endedAt }): ReportedAlertMail => ({ alertId, endedAt }));
    if (alertMails.length > 0) await enqueue(uow, sendAlertMails, { happened: alertMails });
  },
});
