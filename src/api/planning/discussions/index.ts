import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as createEndpoints from './create-endpoints.ts';
import * as endpoints from './endpoints.ts';

/**
 * A thread is the set of notes with the same `discussion_id`; it has no row of its own. All writes go through the functions of
 * notes, whose endpoints reach the same rows.
 */
export const discussions = resourceModule({ endpoints: { ...endpoints, ...createEndpoints } });
