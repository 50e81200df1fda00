import type { JobOptions } from '../ci-file/index.ts';

/** What a runner has to be able to do for a job of this content (contract/runners.md §3.3 "Features"). */
function needed({ artifacts, allow_failure_exit_codes, retry, cache, release }: Partial<JobOptions>): string[] {
  const wanted: Readonly<Record<string, boolean>> = {
    upload_multiple_artifacts: Object.keys(artifacts?.reports ?? {}).length > 0,
    artifacts_exclude: (artifacts?.exclude ?? []).length > 0,
    return_exit_code: (allow_failure_exit_codes ?? []).length > 0 || (retry?.exit_codes ?? []).length > 0,
    fallback_cache_keys: (cache ?? []).some(({ fallback_keys }) => fallback_keys.length > 0),
    multi_build_steps: release !== null && release !== undefined,
  };
  return Object.keys(wanted).filter((name) => wanted[name]);
}

/** Can a runner with these features run it? */
export function canRun(
  features: Readonly<Record<string, boolean>> | null | undefined,
  options: Partial<JobOptions>,
): boolean {
  return needed(options).every((name) => features?.[name] === true);
}
