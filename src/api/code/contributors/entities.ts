import { Type } from 'typebox';
import type { Contributor as GitContributor } from '#git/commits/contributors.ts';
import { entity } from '#http/endpoint/entity.ts';
import { firstCharacters } from '#text/trim.ts';

/** `additions` and `deletions` are always 0: clients look for the keys and nobody counts any more. */
export const Contributor = entity('Contributor', {
  name: Type.String(),
  email: Type.String(),
  commits: Type.Integer(),
  additions: Type.Literal(0),
  deletions: Type.Literal(0),
}).from(({ name, email, commits }: GitContributor) => ({
  name: firstCharacters(name, 255),
  email: firstCharacters(email, 255),
  commits,
  additions: 0,
  deletions: 0,
}));
