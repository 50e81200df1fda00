import { blobsCheck } from './checks/blobs.ts';
import { type Check, type CheckContext, describeError, type Finding } from './checks/finding.ts';
import { orphanedRepositoriesCheck, repositoriesCheck, unfinishedRefUpdatesCheck } from './checks/repositories.ts';
import { countersCheck, databaseCheck, foldedKeysCheck, referencesCheck, secretsCheck } from './checks/rows.ts';

/** All checks, in this order: later checks may depend on repairs of earlier ones. */
const CHECKS: readonly Check[] = [
  databaseCheck,
  referencesCheck,
  countersCheck,
  foldedKeysCheck,
  secretsCheck,
  unfinishedRefUpdatesCheck,
  repositoriesCheck,
  orphanedRepositoriesCheck,
  blobsCheck,
];

/** Names for the option `--only`. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name);

interface RunChecksOptions {
  readonly repair?: boolean;
  /** Names of checks; default: all. */
  readonly only?: readonly string[] | undefined;
  /** Prints a line for each finding. */
  readonly print: (line: string) => unknown;
}

/**
 * Checks the consistency of rows, repositories and files of a server, which may be running. With `repair` it makes safe
 * repairs. Returns the number of remaining findings.
 */
export async function runChecks(
  context: CheckContext,
  { repair = false, only, print }: RunChecksOptions,
): Promise<number> {
  let findingCount = 0;
  for (const check of CHECKS.filter(({ name }) => only?.includes(name) ?? true)) {
    try {
      for await (const finding of check.run(context)) {
        const { isRepaired, text } = await repairOrDescribe(finding, repair);
        if (!isRepaired) findingCount += 1;
        print(`${check.name}: ${finding.text}: ${text}`);
      }
    } catch (error) {
      findingCount += 1;
      print(`${check.name}: The check could not be completed: ${describeError(error)}`);
    }
  }
  return findingCount;
}

/** Repairs the problem of a finding if `repair` is set and a repair exists. `text` describes the result. */
async function repairOrDescribe(finding: Finding, repair: boolean): Promise<{ isRepaired: boolean; text: string }> {
  if (finding.repair === undefined) return { isRepaired: false, text: 'no safe repair; restore a backup' };
  const { text, run } = finding.repair;
  if (!repair) return { isRepaired: false, text: `--fix would ${text}` };
  try {
    if (await run()) return { isRepaired: true, text: `repaired (${text})` };
    return { isRepaired: false, text: `could not be repaired (${text})` };
  } catch (error) {
    return { isRepaired: false, text: `could not be repaired (${text}): ${describeError(error)}` };
  }
}
