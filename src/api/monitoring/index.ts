import type { ResourceModules } from '#http/endpoint/resource-module.ts';
import { alertIntegrations } from './alert-integrations/index.ts';
import { alertManagementAlerts } from './alert-management-alerts/index.ts';
import { alerts } from './alerts/index.ts';
import { clientKeys } from './client-keys/index.ts';
import { envelopes } from './envelopes/index.ts';
import { errorTrackingSettings } from './error-tracking-settings/index.ts';
import { errors } from './errors/index.ts';
import { incidentManagementSettings } from './incident-management-settings/index.ts';
import { incidents } from './incidents/index.ts';
import { ingestionSettings } from './ingestion-settings/index.ts';
import { sessions } from './sessions/index.ts';

/** Resource modules of monitoring: received alerts, incidents created from them, and reported errors. */
export const monitoring: ResourceModules = {
  'alert-integrations': alertIntegrations,
  alerts,
  'incident-management-settings': incidentManagementSettings,
  'alert-management-alerts': alertManagementAlerts,
  incidents,
  'client-keys': clientKeys,
  envelopes,
  'error-tracking-settings': errorTrackingSettings,
  errors,
  'ingestion-settings': ingestionSettings,
  sessions,
};
