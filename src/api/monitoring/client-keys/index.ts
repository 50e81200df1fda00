import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

// Used by the error tracking settings.
export { ensureActiveKey } from './store.ts';

export const clientKeys = resourceModule({ endpoints });
