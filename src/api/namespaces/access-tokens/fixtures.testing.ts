import assert from 'node:assert/strict';
import { type Caller, type Group, type Project, world } from '#test/support/world.ts';

/** Fixtures for tests of project and group tokens. */

export const PARENT_TYPES = ['project', 'group'] as const;
type ParentTypeName = (typeof PARENT_TYPES)[number];

/** A project or group of a new user. */
export type TokenParent = (Project | Group) & {
  readonly kind: ParentTypeName;
  /** A member with the lowest role that may manage the tokens. */
  readonly manager: Caller;
};

export async function createTokenParent(
  kind: ParentTypeName,
  attributes: Readonly<Record<string, unknown>> = {},
): Promise<TokenParent> {
  const { newGroup, newProject } = await world();
  const parent = kind === 'project' ? await newProject(attributes) : await newGroup(attributes);
  return { ...parent, kind, manager: await parent.addMember(kind === 'project' ? 'maintainer' : 'owner') };
}

export const TOKEN_INPUT = { name: 'ci', scopes: ['api'], expires_at: '2026-12-01' };

/** Creates a token of the parent; returns the response body and a caller for the bot. */
export async function createParentToken({ owner, at }: TokenParent, params: object = {}) {
  const { withToken } = await world();
  const { status, body, text } = await owner.post(`${at}/access_tokens`, { ...TOKEN_INPUT, ...params });
  assert.equal(status, 201, text);
  return { body, id: body.id as number, bot: withToken({ ...owner, id: body.user_id }, body.token) };
}
