import { resourceModule } from '#http/endpoint/resource-module.ts';
import { enqueueAlertMails, sendAlertMails } from './alert-mails.ts';
import { closeIncidents, followAlerts, makeIncidents } from './on-alert-reported.ts';
import { followIncidents } from './on-incident-closed.ts';

// What other families may use of incidents.
export { makeIncident } from './create.ts';

/**
 * What becomes of alerts besides: mails, and incidents, which have the endpoints of issues (contract/monitoring.md §7).
 *
 * The intake (`api/monitoring/alerts/`) tells in the act that stores alerts which have begun or fired again and which have
 * recovered. What projects want of that (`incident-management-settings/`) is looked at there, by a statement or two however
 * many alerts came; the rest is the queue's: an incident is an issue that alert-bot files, and an alert's row says which one it has, so
 * that whoever comes second makes none. Alert and incident follow each other by facts: one that recovers closes its incident, and an
 * incident that is closed, by whatever road, resolves its alerts. Mails to those who answer for the project take the road of all mails.
 */
export const incidents = resourceModule({
  endpoints: {},
  jobs: [makeIncidents, closeIncidents, sendAlertMails],
  subscriptions: [followAlerts, followIncidents, enqueueAlertMails],
});
