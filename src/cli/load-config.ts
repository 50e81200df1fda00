import { type Config, type EnvironmentVariables, loadConfig } from '#config.ts';
import type { CommandContext } from './command.ts';
import { checkVariableNames } from './setting-names.ts';

/** Returns the settings, and warnings about unknown HEARTH_* variables. Throws ConfigError. */
export function loadCheckedConfig(env: EnvironmentVariables): { config: Config; warnings: readonly string[] } {
  const warnings = checkVariableNames(env);
  return { config: loadConfig(env), warnings };
}

/** Returns the settings for a command without a log: warnings go to standard error. Throws ConfigError. */
export function loadCommandConfig({ env, stderr }: Pick<CommandContext, 'env' | 'stderr'>): Config {
  const { config, warnings } = loadCheckedConfig(env);
  for (const warning of warnings) stderr.write(`hearth: ${warning}\n`);
  return config;
}
