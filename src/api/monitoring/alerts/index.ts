import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject, leaveAlerts } from './ends.ts';

// What other families may use of what comes in.
export type { Payload } from './body.ts';
export { AlertReported } from './endpoints.ts';
export { flattened } from './fingerprint.ts';
export type { Sender } from './parsed.ts';
export { alertsTurn, receive } from './receive.ts';
export { type AlertStep, NOTES, stepAlerts } from './steps.ts';
export { oldestIntegration, saySystemNotes } from './store.ts';
export type { JsonObject } from './values.ts';

export const alerts = family({ endpoints, subscriptions: [endWithProject, leaveAlerts] });
