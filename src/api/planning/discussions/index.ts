import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as createEndpoints from './create-endpoints.ts';
import * as endpoints from './endpoints.ts';

/**
 * Threads on issues, merge requests, epics and commits. A thread is the set of notes with the same `discussion_id`; it
 * has no row of its own. All writes use the functions of `notes/`.
 */
export const discussions = resourceModule({ endpoints: { ...endpoints, ...createEndpoints } });
