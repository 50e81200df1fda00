import assert from 'node:assert/strict';
import { type Caller, type Group, type Project, world } from '#test/support/world.ts';

/** What tests of project and group tokens begin with. */

export const KINDS = ['project', 'group'] as const;
export type Kind = (typeof KINDS)[number];

/** A project or group of a new user. */
export type Place = (Project | Group) & {
  readonly kind: Kind;
  /** Who manages the tokens there by the least role that may. */
  readonly manager: Caller;
};

export async function givenPlace(kind: Kind, wish: Readonly<Record<string, unknown>> = {}): Promise<Place> {
  const { newGroup, newProject } = await world();
  const place = kind === 'project' ? await newProject(wish) : await newGroup(wish);
  return { ...place, kind, manager: await place.add(kind === 'project' ? 'maintainer' : 'owner') };
}

export const ORDER = { name: 'ci', scopes: ['api'], expires_at: '2026-12-01' };

/** A token of the place: its answer's body, and the bot with it in hand. */
export async function givenToken({ owner, at }: Place, params: object = {}) {
  const { withToken } = await world();
  const { status, body, text } = await owner.post(`${at}/access_tokens`, { ...ORDER, ...params });
  assert.equal(status, 201, text);
  return { body, id: body.id as number, bot: withToken({ ...owner, id: body.user_id }, body.token) };
}
