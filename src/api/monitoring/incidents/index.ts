import { resourceModule } from '#http/endpoint/resource-module.ts';
import { enqueueAlertMails, sendAlertMails } from './alert-mails.ts';
import { closeIncidentsJob, createIncidentsJob, onAlertsReported } from './on-alert-reported.ts';
import { onIncidentClosed } from './on-incident-closed.ts';

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
