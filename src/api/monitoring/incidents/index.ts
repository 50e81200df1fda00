import { family } from '../../../http/endpoint/family.ts';
import { closeIncidents, followAlerts, makeIncidents } from './follow-alerts.ts';
import { followIncidents } from './follow-incidents.ts';
import { tellOfAlerts, tellOfAlertsSoon } from './tell-of-alerts.ts';

// What other families may use of incidents.
export { makeIncident } from './make.ts';

/**
 * What becomes of alerts besides: mails, and incidents, which have the endpoints of issues (contract/monitoring.md §7).
 *
 * The intake (`api/monitoring/alerts/`) tells in the act that stores alerts which have begun or fired again and which have
 * recovered. What projects want of that (`incident-management-settings/`) is looked at there, by a statement or two however
 * many alerts came; the rest is the queue's: an incident is an issue that alert-bot files, and an alert's row says which one it has, so
 * that whoever comes second makes none. Alert and incident follow each other by facts: one that recovers closes its incident, and an
 * incident that is closed, by whatever road, resolves its alerts. Mails to those who answer for the project take the road of all mails.
 */
export const incidents = family({
  endpoints: {},
  jobs: [makeIncidents, closeIncidents, tellOfAlerts],
  subscriptions: [followAlerts, followIncidents, tellOfAlertsSoon],
});
