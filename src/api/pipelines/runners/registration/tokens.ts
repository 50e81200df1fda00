import type { Runner } from '#authorization/runners.ts';
import type { Transaction } from '#database/database.ts';
import type { RunnerType } from '#database/schema.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import { loadSettings, type SettingName } from '#settings/settings.ts';
import type { IssuedRunner } from '../entities.ts';

/** Authentication tokens of runners (contract/runners.md §2.2, §2.3). Only their hashes are stored. */

/** Token prefixes, which tell gitlab-runner whether the server or the runner defines its settings. */
const TOKEN_PREFIXES = { authenticated_user: 'glrt-', registration_token: 'glrtr-' } as const;

const EXPIRATION_SETTINGS = {
  instance_type: 'runner_token_expiration_interval',
  group_type: 'group_runner_token_expiration_interval',
  project_type: 'project_runner_token_expiration_interval',
} as const satisfies Record<RunnerType, SettingName>;

/**
 * Generates a token for a runner of this type. Returns the token, its hash, and its expiry from the setting of the
 * runner type.
 */
export async function generateRunnerToken(
  tx: Transaction,
  { runner_type, registration_type }: Pick<Runner, 'runner_type' | 'registration_type'>,
) {
  const token = generateToken(TOKEN_PREFIXES[registration_type]);
  const seconds = (await loadSettings(tx))[EXPIRATION_SETTINGS[runner_type]];
  const token_expires_at = seconds === null ? null : addMilliseconds(tx.now, seconds * 1000);
  return { token, token_digest: hashToken(token), token_expires_at };
}

/** Replaces the token of a runner; the old one is invalid at once. */
export async function resetRunnerToken(tx: Transaction, runner: Runner): Promise<IssuedRunner> {
  const { token, ...tokenColumns } = await generateRunnerToken(tx, runner);
  await tx
    .updateTable('runners')
    .set({ ...tokenColumns, updated_at: tx.now })
    .where('id', '=', runner.id)
    .execute();
  return { id: runner.id, token, token_expires_at: tokenColumns.token_expires_at };
}
