import { family } from '../../../http/endpoint/family.ts';
import { closeIncidents, followAlerts, makeIncidents } from './follow-alerts.ts';
import { followIncidents } from './follow-incidents.ts';
import { tellOfAlerts, tellOfAlertsSoon } from './tell-of-alerts.ts';

// What other families may use of incidents.
export { makeIncident } from './make.ts';

/** What becomes of alerts besides: mails, and incidents, which have the endpoints of issues (contract/monitoring.md §7). */
export const incidents = family({
  endpoints: {},
  jobs: [makeIncidents, closeIncidents, tellOfAlerts],
  subscriptions: [followAlerts, followIncidents, tellOfAlertsSoon],
});
