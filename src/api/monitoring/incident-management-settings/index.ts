import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { readTemplate } from './issue-template.ts';
// What other families may use of the settings of incidents.
export { settingsAmong, settingsOf } from './store.ts';

export const incidentManagementSettings = resourceModule({ endpoints });
