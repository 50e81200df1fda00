import { Type } from 'typebox';
import type { Contributor as GitContributor } from '#git/commits/contributors.ts';
import { entity } from '#http/endpoint/entity.ts';
import { truncateToCharacters } from '#text/trim.ts';

/** `additions` and `deletions` are always 0: clients expect the keys, but the values are not computed. */
export const Contributor = entity('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Literal(0),
  deletions: Type.Literal(0),
}).from(({ name, email, commits }: GitContributor) => ({
  name: truncateToCharacters(name, 255),
  email: truncateToCharacters(email, 255),
  commits,
  additions: 0,
  deletions: 0,
}));
