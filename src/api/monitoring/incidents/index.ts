import { getAlertBotId } from '#authentication/users/bootstrap.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { transitionAlerts } from '../alerts/index.ts';
import {
  closeIncidentsJob,
  createIncidentsJob,
  enqueueAlertMails,
  onAlertsReported,
  sendAlertMails,
} from './on-alert-reported.ts';
import { buildUnresolvedAlertsQuery } from './store.ts';

/** Resolves the alerts of an incident when the incident is closed in any way (contract/monitoring.md §7). */
const onIncidentClosed = defineSubscription({
  event: 'notifiable-event-occurred',
  async inTransaction(uow, { event, about }) {
    if (event !== 'close_issue' || about.type !== 'Issue') return;
    const alerts = await buildUnresolvedAlertsQuery(uow, about.id).execute();
    if (alerts.length === 0) return;
    const actorPrefix = uow.actor.user === null ? '' : `@${uow.actor.user.username} `;
    const buildNotes = ({ iid }: { readonly iid: number }) => [
      `changed the status to **Resolved** because ${actorPrefix}closed incident #${iid}`,
    ];
    await transitionAlerts(
      uow,
      await getAlertBotId(uow),
      alerts.map((alert) => ({ id: alert.id, newStatus: 'resolved', notes: buildNotes(alert) })),
    );
  },
});

// Exports for other resource modules.
export { createIncidentFromAlert } from './create.ts';

/**
 * Mails and incidents for alerts; incidents use the endpoints of issues (contract/monitoring.md §7).
 *
 * `api/monitoring/alerts/` publishes an event with the fired and the resolved alerts, in the transaction that stores them. The
 * subscriptions here check the project settings (`incident-management-settings/`) in that transaction and enqueue jobs. An
 * incident is an issue that alert-bot creates. The alert's row refers to it, so an alert gets at most one. Domain events keep both
 * in step: a resolved alert closes its incident, and closing an incident resolves its alerts. Mails use the general mail queue.
 */
export const incidents = resourceModule({
  endpoints: {},
  jobs: [createIncidentsJob, closeIncidentsJob, sendAlertMails],
  subscriptions: [onAlertsReported, onIncidentClosed, enqueueAlertMails],
});
