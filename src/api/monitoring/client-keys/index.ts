import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteClientKeysOfProject } from './on-delete.ts';

// Used by the error tracking settings.
export { ensureActiveKey } from './store.ts';

export const clientKeys = resourceModule({ endpoints, subscriptions: [deleteClientKeysOfProject] });
