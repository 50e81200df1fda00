import { importMember } from '#api/namespaces/members/index.ts';
import { toParent } from '#http/access/parents.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { date, integer } from '#http/parameters/types.ts';
import { relation, type SourcePlace } from './relation.ts';

/** Of what the request names those too who are members from above: what is above does not come along. */
const listOf = ({ isChild }: SourcePlace) => (isChild ? 'members' : 'members/all');

/** Members of groups and projects, of those who are here. */
export const members = relation({
  name: 'members',
  kind: 'member',
  wanted: ({ migrateMemberships }) => migrateMemberships,
  list: {
    group: (source) => `/groups/${source.id}/${listOf(source)}`,
    project: (source) => `/projects/${source.id}/${listOf(source)}`,
  },
  fields: {
    id: required(integer),
    username: required(title),
    name: required(title),
    access_level: required(integer),
    expires_at: optional(date),
  },
  people: (member) => [member],
  async store(uow, { place }, member, users) {
    const userId = users.of(member);
    if (userId === null) return null;
    const given = { userId, accessLevel: member.access_level, expiresAt: member.expires_at ?? null };
    return (await importMember(uow, toParent(uow.actor, place), given))?.id ?? null;
  },
});
