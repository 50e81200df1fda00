import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Commit statuses of external systems. */
export const statuses = resourceModule({ endpoints });
