import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import * as applicationSettings from './application-settings/endpoints.ts';
import * as auditEvents from './audit-events/endpoints.ts';
import * as documentation from './documentation/endpoints.ts';
import * as features from './features/endpoints.ts';
import { health } from './health/index.ts';
import { version } from './version/index.ts';
import * as web from './web/endpoints.ts';
import { webPages } from './web/pages.ts';

/** Resources of the instance as a whole. */
export const instance: ResourceModules = {
  'application-settings': resourceModule({ endpoints: applicationSettings }),
  features: resourceModule({ endpoints: features }),
  version,
  health,
  documentation: resourceModule({ endpoints: documentation }),
  'audit-events': resourceModule({ endpoints: auditEvents }),
  web: resourceModule({ endpoints: { ...web, ...webPages } }),
};
