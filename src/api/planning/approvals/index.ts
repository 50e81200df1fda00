import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/** Approvals of merge requests. */
export const approvals = resourceModule({ endpoints });
