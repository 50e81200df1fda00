import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import * as abilitiesEndpoints from './abilities/endpoints.ts';
import { accessTokens } from './access-tokens/index.ts';
import * as groupProjects from './group-projects/endpoints.ts';
import { groups } from './groups/index.ts';
import { members } from './members/index.ts';
import * as namespacesEndpoints from './namespaces/endpoints.ts';
import { projects } from './projects/index.ts';
import { stars } from './stars/index.ts';
import { topics } from './topics/index.ts';
import { userDeletion } from './user-deletion/index.ts';

/** The resource modules of groups, projects, their members and namespaces. */
export const namespaces: ResourceModules = {
  namespaces: resourceModule({ endpoints: namespacesEndpoints }),
  groups,
  projects,
  'group-projects': resourceModule({ endpoints: groupProjects }),
  members,
  abilities: resourceModule({ endpoints: abilitiesEndpoints }),
  stars,
  topics,
  'access-tokens': accessTokens,
  'user-deletion': userDeletion,
};
