import { blobs } from './checks/blobs.ts';
import type { Check, CheckContext } from './checks/finding.ts';
import { intents, repositories, strays } from './checks/repositories.ts';
import { counters, files, keys, references } from './checks/rows.ts';

/** In this order: later checks may depend on repairs of earlier ones. */
const CHECKS: readonly Check[] = [files, references, counters, keys, intents, repositories, strays, blobs];

/** Names for the option `--only`. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name);

export interface ExamineOptions {
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
export async function examine(context: CheckContext, { repair = false, only, print }: ExamineOptions): Promise<number> {
  let left = 0;
  for (const check of CHECKS.filter(({ name }) => only?.includes(name) ?? true)) {
    for await (const finding of check.run(context)) {
      const prefix = `${check.name}: ${finding.text}`;
      if (finding.repair === undefined) {
        left += 1;
        print(`${prefix}: no safe repair; restore a backup`);
      } else if (!repair) {
        left += 1;
        print(`${prefix}: --fix would ${finding.repair.text}`);
      } else if (await finding.repair.run()) {
        print(`${prefix}: repaired (${finding.repair.text})`);
      } else {
        left += 1;
        print(`${prefix}: could not be repaired (${finding.repair.text})`);
      }
    }
  }
  return left;
}
