import { importMember } from '#api/namespaces/members/index.ts';
import { toParent } from '#http/access/parents.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { date, integer } from '#http/parameters/types.ts';
import { declareRelation, type SourceGroupOrProject } from './relation.ts';

/** Returns the last path segments of the list. The requested entity includes inherited members: its ancestors are not imported. */
const getMembersPath = ({ isChild }: SourceGroupOrProject) => (isChild ? 'members' : 'members/all');

/** Members of groups and projects who have a local user. */
export const members = declareRelation({
  name: 'members',
  kind: 'member',
  isEnabled: ({ migrateMemberships }) => migrateMemberships,
  list: {
    group: (source) => `/groups/${source.id}/${getMembersPath(source)}`,
    project: (source) => `/projects/${source.id}/${getMembersPath(source)}`,
  },
  fields: {
    id: required(integer),
    username: required(shortText),
    name: required(shortText),
    access_level: required(integer),
    expires_at: optional(date),
  },
  referencedUsers: (member) => [member],
  async store(uow, { destination }, member, users) {
    const userId = users.getLocalUserId(member);
    if (userId === null) return null;
    const input = { userId, accessLevel: member.access_level, expiresAt: member.expires_at ?? null };
    return (await importMember(uow, toParent(uow.actor, destination), input))?.id ?? null;
  },
});
