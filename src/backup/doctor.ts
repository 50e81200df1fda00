import { blobs } from './checks/blobs.ts';
import type { Check, Examined } from './checks/finding.ts';
import { intents, repositories, strays } from './checks/repositories.ts';
import { counters, files, keys, references } from './checks/rows.ts';

/** In this order: what is mended by one may be looked at by the next. */
const CHECKS: readonly Check[] = [files, references, counters, keys, intents, repositories, strays, blobs];

/** What can be asked for alone. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name);

export interface Examination {
  readonly mend?: boolean;
  /** Names of checks; all of them without it. */
  readonly only?: readonly string[] | undefined;
  /** Is told each finding in a line. */
  readonly tell: (line: string) => unknown;
}

/**
 * Looks whether rows, repositories and files of a server, which may run, fit together; with `mend` it does what is safe
 * about it. Returns how many findings are left.
 */
export async function examine(examined: Examined, { mend = false, only, tell }: Examination): Promise<number> {
  let left = 0;
  for (const check of CHECKS.filter(({ name }) => only?.includes(name) ?? true)) {
    for await (const finding of check.look(examined)) {
      const said = `${check.name}: ${finding.text}`;
      if (finding.mend === undefined) {
        left += 1;
        tell(`${said}: this cannot be mended here, only restored from a backup`);
      } else if (!mend) {
        left += 1;
        tell(`${said}: --mend would ${finding.mend.text}`);
      } else if (await finding.mend.run()) {
        tell(`${said}: mended (${finding.mend.text})`);
      } else {
        left += 1;
        tell(`${said}: could not be mended (${finding.mend.text})`);
      }
    }
  }
  return left;
}
