import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of the settings of incidents.
export { settingsAmong, settingsOf } from './store.ts';
export { readTemplate } from './template.ts';

export const incidentManagementSettings = family({ endpoints });
