import { moment } from '../../../http/endpoint/answers.ts';
import { entity } from '../../../http/endpoint/entity.ts';
import { UserBasic, type UserBasicRow, usersById } from '../../identity/users/index.ts';

export interface StarRow {
  readonly user_id: number;
  readonly created_at: string;
}

/** Who has starred a project (contract/planning.md §3.3). */
export const Starrer = entity('Starrer', { starred_since: moment, user: UserBasic.schema }).from(
  (stars: readonly StarRow[], { db }) =>
    usersById(
      db,
      stars.map(({ user_id }) => user_id),
    ),
  ({ user_id, created_at }, to, users) => ({
    starred_since: created_at,
    user: UserBasic.one(users.get(user_id) as UserBasicRow, to),
  }),
);
