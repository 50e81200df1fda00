import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteEntriesOfFormerMember } from './on-membership-ended.ts';

/** Rules that restrict who may create tags. */
export const protectedTags = resourceModule({ endpoints, subscriptions: [deleteEntriesOfFormerMember] });
