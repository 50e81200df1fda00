import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** CI lint. */
export const lint = resourceModule({ endpoints });
