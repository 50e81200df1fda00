import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { expireMembers, expireMembersDaily } from './expire.ts';

// Exports for other modules.
export { importMember } from './import.ts';

export const members = resourceModule({
  endpoints,
  jobs: [expireMembers],
  schedules: [expireMembersDaily],
});
