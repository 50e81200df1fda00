import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteEntriesOfFormerMember } from '../protected-branches/index.ts';
import * as endpoints from './endpoints.ts';
import { deleteEntries, listEntriesOfUser } from './store.ts';

/** Rules that restrict who may create tags. */
export const protectedTags = resourceModule({
  endpoints,
  subscriptions: [deleteEntriesOfFormerMember(listEntriesOfUser, deleteEntries)],
});
