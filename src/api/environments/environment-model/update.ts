import type { Transaction } from '#database/database.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';

/** Changes to an environment except its state. */
export type EnvironmentPatch = Partial<
  Pick<EnvironmentRow, 'external_url' | 'tier' | 'description' | 'auto_stop_setting' | 'auto_stop_at'>
>;

/** Updates an environment and returns the row. Equal values change nothing, not even `updated_at`. index: environments primary key */
export async function updateEnvironmentRow(
  tx: Transaction,
  environment: EnvironmentRow,
  patch: EnvironmentPatch,
): Promise<EnvironmentRow> {
  const isChanged = ([field, value]: [string, unknown]) => environment[field as keyof EnvironmentPatch] !== value;
  const changedEntries = Object.entries(patch).filter(isChanged);
  if (changedEntries.length === 0) return environment;
  return tx
    .updateTable('environments')
    .set({ ...(Object.fromEntries(changedEntries) as EnvironmentPatch), updated_at: tx.now })
    .where('id', '=', environment.id)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow();
}
