import assert from 'node:assert/strict';
import { type Caller, world } from '../../../../test/world.ts';

/** What tests of project and group tokens begin with. */

export const KINDS = ['project', 'group'] as const;
export type Kind = (typeof KINDS)[number];

/** A project or group of a new user. */
export interface Place {
  readonly kind: Kind;
  readonly id: number;
  /** `/projects/7` */
  readonly path: string;
  readonly owner: Caller;
  /** Who manages the tokens there by the least role that may. */
  readonly manager: Caller;
  /** A new member with this role. */
  member(accessLevel: number): Promise<Caller>;
}

export async function givenPlace(kind: Kind, params: object = {}): Promise<Place> {
  const { user, name } = await world();
  const owner = await user();
  const path = name(kind);
  const made = await owner.post(`/${kind}s`, { name: path, path, ...params });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  const member = async (access_level: number) => {
    const one = await user();
    const added = await owner.post(`/${kind}s/${id}/members`, { user_id: one.id, access_level });
    assert.equal(added.status, 201, added.text);
    return one;
  };
  return { kind, id, path: `/${kind}s/${id}`, owner, member, manager: await member(kind === 'project' ? 40 : 50) };
}

export const ORDER = { name: 'ci', scopes: ['api'], expires_at: '2026-12-01' };

/** A token of the place: its answer's body, and the bot with it in hand. */
export async function givenToken({ owner, path }: Place, params: object = {}) {
  const { withToken } = await world();
  const { status, body, text } = await owner.post(`${path}/access_tokens`, { ...ORDER, ...params });
  assert.equal(status, 201, text);
  return { body, id: body.id as number, bot: withToken({ ...owner, id: body.user_id }, body.token) };
}
