/**
 * Prints progress of a long command to standard error: one line that is overwritten on a terminal, else a line from
 * time to time.
 */
export interface Progress {
  /** Reports the current progress. */
  update(text: string): void;
  /** Prints a line that stays. */
  print(text: string): void;
}

interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Minimum interval of updates: on a terminal, and of lines elsewhere. */
const UPDATE_INTERVAL_MS = { terminal: 100, lines: 5_000 };
/** Returns to the start of the line and clears it. */
const CLEAR_LINE = '\r\x1b[K';

export function createProgress(output: ProgressOutput): Progress {
  const isTerminal = output.isTTY === true;
  let lastUpdate = isTerminal ? Number.NEGATIVE_INFINITY : performance.now();
  return {
    update(text) {
      const now = performance.now();
      if (now - lastUpdate < (isTerminal ? UPDATE_INTERVAL_MS.terminal : UPDATE_INTERVAL_MS.lines)) return;
      lastUpdate = now;
      output.write(isTerminal ? `${CLEAR_LINE}${text}` : `${text}\n`);
    },
    print(text) {
      output.write(isTerminal ? `${CLEAR_LINE}${text}\n` : `${text}\n`);
    },
  };
}

/** Formats a number of bytes with a decimal unit: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
