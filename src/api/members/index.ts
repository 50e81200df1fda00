// What other families, and the server, may use of members.
export { expireMembers, expireMembersDaily } from './expire.ts';
