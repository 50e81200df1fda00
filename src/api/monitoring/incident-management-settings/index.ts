import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { readIssueTemplate } from './issue-template.ts';
// Exports for other resource modules.
export { getIncidentSettings, loadIncidentSettings } from './store.ts';

export const incidentManagementSettings = resourceModule({ endpoints });
