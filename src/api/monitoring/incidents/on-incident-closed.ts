import { getAlertBotId } from '#authentication/users/alert-bot.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { transitionAlerts } from '../alerts/index.ts';
import { selectUnresolvedAlertsOfIncident } from './store.ts';

/** Resolves the alerts of an incident when the incident is closed in any way (contract/monitoring.md §7). */
export const onIncidentClosed = defineSubscription({
  event: 'notifiable-event-occurred',
  async inTransaction(uow, { event, about }) {
    if (event !== 'close_issue' || about.type !== 'Issue') return;
    const alerts = await selectUnresolvedAlertsOfIncident(uow, about.id).execute();
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
