import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { INSTANCE_VERSION } from './version.ts';

export const version = resourceModule({ endpoints });
