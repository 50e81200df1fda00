import { family } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { expireMembers, expireMembersDaily } from './expire.ts';

// What other families may use of members.
export { importMember } from './import.ts';

export const members = family({
  endpoints,
  jobs: [expireMembers],
  schedules: [expireMembersDaily],
});
