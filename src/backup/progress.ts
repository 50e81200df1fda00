/** Tells on standard error how far a long command is: one line that is written over on a terminal, else a line now and then. */
export interface Progress {
  /** What is done now, with how much of it. */
  tell(text: string): void;
  /** Something to be kept on the screen. */
  say(text: string): void;
}

export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const EVERY_MS = { terminal: 100, lines: 5_000 };
const CLEAR = '\r\x1b[K';

export function createProgress(output: ProgressOutput): Progress {
  const terminal = output.isTTY === true;
  let told = terminal ? Number.NEGATIVE_INFINITY : performance.now();
  return {
    tell(text) {
      const now = performance.now();
      if (now - told < (terminal ? EVERY_MS.terminal : EVERY_MS.lines)) return;
      told = now;
      output.write(terminal ? `${CLEAR}${text}` : `${text}\n`);
    },
    say(text) {
      output.write(terminal ? `${CLEAR}${text}\n` : `${text}\n`);
    },
  };
}

/** `12.3 MB`. */
export function inBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${power === 0 ? bytes : (bytes / 1000 ** power).toFixed(1)} ${units[power]}`;
}
