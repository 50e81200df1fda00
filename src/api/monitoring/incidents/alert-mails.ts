import { enqueueSystemNotification, isMailEnabled } from '#api/planning/mail-messages/index.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { loadIncidentSettings } from '../incident-management-settings/index.ts';
import { selectNewOrResolvedAlerts } from './store.ts';

/** Sends mails about new and resolved alerts to those responsible for the project, if the project enables them. */

interface ReportedAlertMail {
  readonly alertId: number;
  /** When the alert was resolved; null for a new alert. */
  readonly endedAt: string | null;
}

/** Queues the mails. The payload's key `happened` is stored: never rename it. */
export const sendAlertMails = defineJob({
  kind: 'mails_of_alerts',
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
    const alertRows = await selectNewOrResolvedAlerts(uow, [...fired, ...resolved], { now: uow.now });
    const alertMails = alertRows
      .filter(({ project_id }) => getSettings(project_id).send_email)
      .map(({ id: alertId, ended_at: endedAt }): ReportedAlertMail => ({ alertId, endedAt }));
    if (alertMails.length > 0) await enqueue(uow, sendAlertMails, { happened: alertMails });
  },
});
