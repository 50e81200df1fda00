import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import * as alertIntegrations from './alert-integrations/endpoints.ts';
import * as alertManagementAlerts from './alert-management-alerts/endpoints.ts';
import { alerts } from './alerts/index.ts';
import { clientKeys } from './client-keys/index.ts';
import * as envelopes from './envelopes/endpoints.ts';
import * as errorTrackingSettings from './error-tracking-settings/endpoints.ts';
import { errors } from './errors/index.ts';
import { incidentManagementSettings } from './incident-management-settings/index.ts';
import { incidents } from './incidents/index.ts';
import * as ingestionSettings from './ingestion-settings/endpoints.ts';
import * as sessions from './sessions/endpoints.ts';

/** Resource modules of monitoring: received alerts, incidents created from them, and reported errors. */
export const monitoring: ResourceModules = {
  'alert-integrations': resourceModule({ endpoints: alertIntegrations }),
  alerts,
  'incident-management-settings': incidentManagementSettings,
  'alert-management-alerts': resourceModule({ endpoints: alertManagementAlerts }),
  incidents,
  'client-keys': clientKeys,
  envelopes: resourceModule({ endpoints: envelopes }),
  'error-tracking-settings': resourceModule({ endpoints: errorTrackingSettings }),
  errors,
  'ingestion-settings': resourceModule({ endpoints: ingestionSettings }),
  sessions: resourceModule({ endpoints: sessions }),
};
