import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject, leaveAlerts } from './on-delete.ts';

// What other families may use of what comes in.
export { AlertReported } from './endpoints.ts';
export { flattened } from './fingerprint.ts';
export { alertsLockKey, receive } from './receive.ts';
export { NOTES, stepAlerts } from './status-transitions.ts';
export { oldestIntegration, saySystemNotes } from './store.ts';

/**
 * A payload comes to `monitoring/alerts/`: its body is decoded, bounded and parsed in turns (`payload.ts`), its format is told from
 * what it holds, the key of the integration that the address names is compared, and `generic-payload.ts` or `webhook-payload.ts` (pure) make of
 * it what all else works with. What many senders bring at once is gathered: `process-reports.ts` reads the unresolved alerts that it is
 * about by their fingerprints, goes through it in its order, and writes what has become of them by as many statements for a
 * hundred as for one, in the turns of its projects; a partial unique index lets no two unresolved alerts have one fingerprint,
 * whoever brings them. Alerts change their status in `status-transitions.ts` and nowhere else.
 */
export const alerts = resourceModule({ endpoints, subscriptions: [endWithProject, leaveAlerts] });
