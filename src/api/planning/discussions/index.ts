import { family } from '#http/endpoint/resource-module.ts';
import * as createEndpoints from './create-endpoints.ts';
import * as endpoints from './endpoints.ts';

/**
 * A thread is what has the same `discussion_id`: there is no row of its own. All that people say goes through the verbs of
 * notes, whose paths reach the same rows.
 */
export const discussions = family({ endpoints: { ...endpoints, ...createEndpoints } });
