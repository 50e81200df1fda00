import { type Static, Type } from 'typebox';
import type { Membership } from '../../../access/memberships.ts';
import { day, moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { UserBasic, type UserBasicRow, userBasic } from '../../identity/users/index.ts';

/** The wire shape of a member (contract/planning.md §1 "Member"). */
export const Member = shape('Member', {
  ...UserBasic.properties,
  access_level: Type.Integer(),
  created_at: moment,
  /** Absent when nobody knows any more who it was. */
  created_by: Type.Optional(UserBasic),
  expires_at: nullable(day),
  membership_state: Type.Literal('active'),
  /** For administrators. */
  email: Type.Optional(Type.String()),
});

/** The answer to a list of users: it says who was not added, and why. */
export const AddedMembers = shape('AddedMembers', {
  status: Type.Enum(['success', 'error']),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export type MemberUser = UserBasicRow & { readonly email: string };

/** `failed`: the name of each user who could not be added, with the reason. */
export function addedMembers(failed: Readonly<Record<string, string>>): Static<typeof AddedMembers> {
  return Object.keys(failed).length === 0 ? { status: 'success' } : { status: 'error', message: failed };
}

/** A membership with the users that it is shown with. */
export interface MemberRow extends Membership {
  readonly user: MemberUser;
  readonly created_by: UserBasicRow | null;
}

export function members(rows: readonly MemberRow[], base: Base, withEmail: boolean): Static<typeof Member>[] {
  const users = userBasic(
    rows.map(({ user }) => user),
    base,
  );
  return rows.map(({ access_level, created_at, expires_at, created_by, user }, index) => ({
    ...(users[index] as Static<typeof UserBasic>),
    access_level,
    created_at,
    ...(created_by === null ? {} : { created_by: userBasic([created_by], base)[0] as Static<typeof UserBasic> }),
    expires_at,
    membership_state: 'active',
    ...(withEmail ? { email: user.email } : {}),
  }));
}

export function member(row: MemberRow, base: Base, withEmail: boolean): Static<typeof Member> {
  return members([row], base, withEmail)[0] as Static<typeof Member>;
}
