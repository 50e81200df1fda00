import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { getIncidentSettings, loadIncidentSettings, readIssueTemplate } from './store.ts';

export const incidentManagementSettings = resourceModule({ endpoints });
