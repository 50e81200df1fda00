import type { Transaction } from '#database/database.ts';
import type { OwnerColumns } from '#domain/namespaces/scope.ts';
import type { ApprovalRule, Principal } from './protected-environments.ts';

/** Rows of protected environments, for tests that don't ask the API for them. */

export interface NewProtection {
  readonly levels?: readonly Partial<Principal>[];
  readonly rules?: readonly Partial<ApprovalRule>[];
  readonly count?: number;
}

/** The new protection's id. */
export async function makeProtection(
  tx: Transaction,
  owner: OwnerColumns,
  name: string,
  { levels = [], rules = [], count = 0 }: NewProtection,
): Promise<number> {
  const { id } = await tx
    .insertInto('protected_environments')
    .values({ ...owner, name, required_approval_count: count, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const whom = { access_level: null, user_id: null, group_id: null, group_inheritance_type: 0 };
  const element = { ...whom, protected_environment_id: id };
  for (const level of levels) {
    await tx
      .insertInto('protected_environment_deploy_access_levels')
      .values({ ...element, ...level })
      .execute();
  }
  for (const rule of rules) {
    await tx
      .insertInto('protected_environment_approval_rules')
      .values({ ...element, required_approvals: 1, ...rule })
      .execute();
  }
  return id;
}
