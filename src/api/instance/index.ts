import type { ResourceModules } from '#http/endpoint/resource-module.ts';
import { applicationSettings } from './application-settings/index.ts';
import { auditEvents } from './audit-events/index.ts';
import { documentation } from './documentation/index.ts';
import { features } from './features/index.ts';
import { health } from './health/index.ts';
import { version } from './version/index.ts';

/** Resources of the instance as a whole. */
export const instance: ResourceModules = {
  'application-settings': applicationSettings,
  features,
  version,
  health,
  documentation,
  'audit-events': auditEvents,
};
