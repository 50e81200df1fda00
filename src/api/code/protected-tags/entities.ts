import { Type } from 'typebox';
import { loadBranchAccessDescriber } from '#authorization/protected-branches/access-level-descriptions.ts';
import type { TagRule } from '#authorization/protected-tags.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { nullable, objectSchema } from '#http/endpoint/responses.ts';

const CreateAccessLevel = objectSchema('TagCreateAccessLevel', {
  id: Type.Integer(),
  access_level: Type.Integer(),
  access_level_description: Type.String(),
  deploy_key_id: Type.Null(),
  user_id: nullable(Type.Integer()),
  group_id: Type.Null(),
});

const loadDescriber = (rules: readonly TagRule[], { db }: SerializationContext) =>
  loadBranchAccessDescriber(
    db,
    rules.map(({ create }) => ({ push: create, merge: [], unprotect: [] })),
  );

/** A protected tag or wildcard rule (contract/everyday.md §5). */
export const ProtectedTag = entity('ProtectedTag', {
  name: Type.String(),
  create_access_levels: Type.Array(CreateAccessLevel),
}).from(loadDescriber, ({ name, create }: TagRule, _context, describe) => ({
  name,
  create_access_levels: create.map((entry) => ({
    id: entry.id,
    access_level: entry.access_level,
    access_level_description: describe(entry),
    deploy_key_id: null,
    user_id: entry.user_id,
    group_id: null,
  })),
}));
