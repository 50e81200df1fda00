import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './on-delete.ts';

// What the settings of error tracking use of it.
export { ensureActiveKey } from './store.ts';

export const clientKeys = resourceModule({ endpoints, subscriptions: [endWithProject] });
