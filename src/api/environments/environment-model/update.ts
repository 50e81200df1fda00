import type { Transaction } from '#database/database.ts';
import { type EnvironmentRow, environmentColumns } from '#domain/environments.ts';

/** What of an environment is changed besides its state. */
export type EnvironmentChange = Partial<
  Pick<EnvironmentRow, 'external_url' | 'tier' | 'description' | 'auto_stop_setting' | 'auto_stop_at'>
>;

/** Changes an environment, and returns it as it is then; what is so already is no change. index: environments primary key */
export async function changeEnvironment(
  tx: Transaction,
  environment: EnvironmentRow,
  wanted: EnvironmentChange,
): Promise<EnvironmentRow> {
  const isNew = ([field, value]: [string, unknown]) => environment[field as keyof EnvironmentChange] !== value;
  const change = Object.entries(wanted).filter(isNew);
  if (change.length === 0) return environment;
  return tx
    .updateTable('environments')
    .set({ ...(Object.fromEntries(change) as EnvironmentChange), updated_at: tx.now })
    .where('id', '=', environment.id)
    .returning(environmentColumns)
    .executeTakeFirstOrThrow();
}
