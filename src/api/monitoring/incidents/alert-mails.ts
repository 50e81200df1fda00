import { enqueueSystemNotification, isMailEnabled } from '#api/planning/mail-messages/index.ts';
import { subscription } from '#events/event-bus.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { settingsAmong } from '../incident-management-settings/index.ts';
import { begunOrEnded } from './store.ts';

/** Where a project wants it, whoever answers for it hears by mail that an alert has begun, and that it has recovered. */

interface Happened {
  readonly alertId: number;
  /** When it recovered; null: it has begun. */
  readonly endedAt: string | null;
}

export const sendAlertMails = defineJob({
  kind: 'mails_of_alerts',
  async handle({ database }: Pick<Services, 'database'>, { happened }: { readonly happened: readonly Happened[] }) {
    await database.transaction(async (tx) => {
      for (const { alertId, endedAt } of happened) {
        const event = endedAt === null ? 'alert_triggered' : 'alert_resolved';
        // Once, however often this is done.
        await enqueueSystemNotification(
          tx,
          { event, about: { type: 'Alert', id: alertId } },
          `${event} ${alertId} ${endedAt ?? ''}`,
        );
      }
    });
  },
});

/** Part of the act that stores the alerts: one piece of work, however many they are. */
export const enqueueAlertMails = subscription({
  event: 'alerts-reported',
  isEnabled: isMailEnabled,
  async inTransaction(uow, { projectIds, fired, resolved }) {
    const settings = await settingsAmong(uow, projectIds);
    if (!projectIds.some((id) => settings(id).send_email)) return;
    const found = await begunOrEnded(uow, [...fired, ...resolved], { now: uow.now });
    const happened = found
      .filter(({ project_id }) => settings(project_id).send_email)
      .map(({ id: alertId, ended_at: endedAt }): Happened => ({ alertId, endedAt }));
    if (happened.length > 0) await enqueue(uow, sendAlertMails, { happened });
  },
});
