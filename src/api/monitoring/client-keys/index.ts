import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject } from './ends.ts';

// What the settings of error tracking use of it.
export { ensureActiveKey } from './store.ts';

export const clientKeys = family({ endpoints, subscriptions: [endWithProject] });
