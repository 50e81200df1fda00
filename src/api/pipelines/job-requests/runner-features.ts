import type { JobOptions } from '../ci-file/index.ts';

/** Returns the features that a runner needs for a job (contract/runners.md §3.3 "Features"). */
function listRequiredFeatures({
  artifacts,
  allow_failure_exit_codes,
  retry,
  cache,
  release,
}: Partial<JobOptions>): string[] {
  const requiredFeatures: Readonly<Record<string, boolean>> = {
    upload_multiple_artifacts: Object.keys(artifacts?.reports ?? {}).length > 0,
    artifacts_exclude: (artifacts?.exclude ?? []).length > 0,
    return_exit_code: (allow_failure_exit_codes ?? []).length > 0 || (retry?.exit_codes ?? []).length > 0,
    fallback_cache_keys: (cache ?? []).some(({ fallback_keys }) => fallback_keys.length > 0),
    multi_build_steps: release !== null && release !== undefined,
  };
  return Object.keys(requiredFeatures).filter((name) => requiredFeatures[name]);
}

/** Returns whether a runner with these features can run the job. */
export function supportsJob(
  features: Readonly<Record<string, boolean>> | null | undefined,
  options: Partial<JobOptions>,
): boolean {
  return listRequiredFeatures(options).every((name) => features?.[name] === true);
}
