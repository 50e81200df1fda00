import { Type } from 'typebox';
import { UserBasic, type UserBasicRow } from '#api/identity/users/index.ts';
import { isAdministrator } from '#authentication/caller.ts';
import type { Membership } from '#domain/members/memberships.ts';
import { entity } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable } from '#http/endpoint/responses.ts';

/** A membership with its user and its creator. */
export interface MemberRow extends Membership {
  readonly user: UserBasicRow & { readonly email: string };
  /** Null if the creator is unknown or was deleted. */
  readonly created_by: UserBasicRow | null;
}

/** A membership (contract/planning.md §1 "Member"). */
export const Member = entity('Member', {
  ...UserBasic.schema.properties,
  access_level: Type.Integer({ description: 'Role in the group or project.' }),
  created_at: dateTime,
  created_by: Type.Optional(UserBasic.schema),
  expires_at: nullable(date),
  membership_state: Type.Literal('active'),
  email: Type.Optional(Type.String({ description: 'Only for administrators.' })),
})
  .columns('access_level', 'created_at', 'expires_at')
  .from(({ created_by, user }: MemberRow, context) => ({
    ...UserBasic.serialize(user, context),
    ...(created_by === null ? {} : { created_by: UserBasic.serialize(created_by, context) }),
    membership_state: 'active',
    ...(isAdministrator(context.caller) ? { email: user.email } : {}),
  }));

/** Reasons by username, for the users who could not be added. */
export interface FailedAdditions {
  readonly reasons: Readonly<Record<string, string>>;
}

/** The response to adding several users. */
export const AddedMembers = entity('AddedMembers', {
  status: Type.Enum(['success', 'error']),
  message: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Reason by username, for each user who was not added.' }),
  ),
}).from(({ reasons }: FailedAdditions) =>
  Object.keys(reasons).length === 0 ? { status: 'success' } : { status: 'error', message: { ...reasons } },
);
