import { getAlertBotId } from '#authentication/users/alert-bot.ts';
import { subscription } from '#events/event-bus.ts';
import { stepAlerts } from '../alerts/index.ts';
import { unresolvedOf } from './store.ts';

/** Whoever closes an incident, by whatever road, resolves the alerts that it was made from (contract/monitoring.md §7). */
export const followIncidents = subscription({
  event: 'notifiable-event-occurred',
  async inTransaction(uow, { event, about }) {
    if (event !== 'close_issue' || about.type !== 'Issue') return;
    const alerts = await unresolvedOf(uow, about.id).execute();
    if (alerts.length === 0) return;
    const by = uow.actor.user === null ? '' : `@${uow.actor.user.username} `;
    const notes = ({ iid }: { readonly iid: number }) => [
      `changed the status to **Resolved** because ${by}closed incident #${iid}`,
    ];
    await stepAlerts(
      uow,
      await getAlertBotId(uow),
      alerts.map((alert) => ({ id: alert.id, to: 'resolved', notes: notes(alert) })),
    );
  },
});
