import { UserBasic, type UserBasicRow } from '#api/identity/users/index.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';

/** A user with the timestamp of their star. */
export interface StarRow extends UserBasicRow {
  readonly starred_since: string;
}

/** A user who has starred a project (contract/planning.md §3.3). */
export const Starrer = entity('Starrer', { starred_since: dateTime, user: UserBasic.schema }).from(
  ({ starred_since, ...user }: StarRow, context) => ({ starred_since, user: UserBasic.serialize(user, context) }),
);
