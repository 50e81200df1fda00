import type { Transaction } from '#database/database.ts';
import type { OwnerColumns } from '#domain/namespaces/scope.ts';
import type { ApprovalRule, Principal } from './protected-environments.ts';

// Rows of protected environments, for tests that do not create them by the API.

export interface NewProtection {
  readonly levels?: readonly Partial<Principal>[];
  readonly rules?: readonly Partial<ApprovalRule>[];
  readonly requiredApprovalCount?: number;
}

/** Inserts a protected environment with its access levels and approval rules, and returns its id. */
export async function createProtection(
  tx: Transaction,
  owner: OwnerColumns,
  name: string,
  { levels = [], rules = [], requiredApprovalCount = 0 }: NewProtection,
): Promise<number> {
  const { id } = await tx
    .insertInto('protected_environments')
    .values({ ...owner, name, required_approval_count: requiredApprovalCount, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const noPrincipal = { access_level: null, user_id: null, group_id: null, group_inheritance_type: 0 };
  const sharedColumns = { ...noPrincipal, protected_environment_id: id };
  for (const level of levels) {
    await tx
      .insertInto('protected_environment_deploy_access_levels')
      .values({ ...sharedColumns, ...level })
      .execute();
  }
  for (const rule of rules) {
    await tx
      .insertInto('protected_environment_approval_rules')
      .values({ ...sharedColumns, required_approvals: 1, ...rule })
      .execute();
  }
  return id;
}
