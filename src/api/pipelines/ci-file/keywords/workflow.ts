import type { CiValue } from '../yaml/values.ts';
import { checkKnownKeys, parseMap, parseOneOf, parseOptional } from './checks.ts';

const NEW_COMMIT_ACTIONS = ['conservative', 'interruptible', 'none'];
const JOB_FAILURE_ACTIONS = ['none', 'all'];

/** Checks `auto_cancel`, which has no effect. */
export function checkAutoCancel(value: CiValue, location: string): void {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['on_new_commit', 'on_job_failure']));
  for (const [key, words] of [
    ['on_new_commit', NEW_COMMIT_ACTIONS],
    ['on_job_failure', JOB_FAILURE_ACTIONS],
  ] as const) {
    const problem = `must be one of: ${words.join(', ')}`;
    parseOptional(map, key, null, (each) => parseOneOf(each, location, key.replaceAll('_', ' '), words, problem));
  }
}
