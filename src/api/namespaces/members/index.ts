import { resourceModule } from '#http/endpoint/resource-module.ts';
import { expireMembers, expireMembersDaily } from './changes.ts';
import * as endpoints from './endpoints.ts';

// Exports for other modules.
export { importMember } from './changes.ts';

export const members = resourceModule({
  endpoints,
  jobs: [expireMembers],
  schedules: [expireMembersDaily],
});
