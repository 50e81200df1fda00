import { constants } from 'node:os';

/** Exit code by which shells, and git for its own children, report a process that overflowed its stack. */
export const STACK_OVERFLOW_CODE = 128 + constants.signals.SIGSEGV;

/** Returns the exit code of a process; null if a signal ended it. Systems report a stack overflow by either of two signals. */
export function toExitCode(code: number | null, signal: NodeJS.Signals | null): number | null {
  return signal === 'SIGSEGV' || signal === 'SIGBUS' ? STACK_OVERFLOW_CODE : code;
}
