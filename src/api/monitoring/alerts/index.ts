import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// Exports for other resource modules.
export { isMapping, parseMapping } from './attribute-mapping.ts';
export { AlertReported } from './endpoints.ts';
export { flattenMembers } from './fingerprint.ts';
export { SYSTEM_NOTE_TEXTS, transitionAlerts } from './process-reports.ts';
export { alertsLockKey, receiveAlerts } from './receive.ts';
export { findOldestIntegration, insertSystemNotes } from './store.ts';

/**
 * Receives alerts. `payload.ts` decodes, limits and parses the body incrementally. The format is detected from the content, and
 * `endpoints.ts` checks the integration's key. `generic-payload.ts` and `webhook-payload.ts` (pure) convert both formats to
 * `ParsedAlert`. Concurrent reports are batched: `process-reports.ts` loads the unresolved alerts by fingerprint, applies the
 * reports in order, and writes the result under the projects' locks; the number of statements does not depend on the number of
 * alerts. A partial unique index allows one unresolved alert per fingerprint. Only `transitionAlerts` changes a status.
 */
export const alerts = resourceModule({ endpoints });
