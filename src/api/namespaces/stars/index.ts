import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteStarsOfUser } from './on-delete.ts';

// Exports for other modules.
export { deleteStarBatch } from './store.ts';

export const stars = resourceModule({ endpoints, subscriptions: [deleteStarsOfUser] });
