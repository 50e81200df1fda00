import type { Families } from '#http/endpoint/resource-module.ts';
import { accessTokens } from './access-tokens/index.ts';
import { groupProjects } from './group-projects/index.ts';
import { groups } from './groups/index.ts';
import { members } from './members/index.ts';
import { namespaces as namespacesResource } from './namespaces/index.ts';
import { projects } from './projects/index.ts';
import { stars } from './stars/index.ts';
import { userDeletion } from './user-deletion/index.ts';

/** Where work lives and who belongs there. */
export const namespaces: Families = {
  namespaces: namespacesResource,
  groups,
  projects,
  'group-projects': groupProjects,
  members,
  stars,
  'access-tokens': accessTokens,
  'user-deletion': userDeletion,
};
