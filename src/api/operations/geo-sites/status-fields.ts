import { type TSchema, Type } from 'typebox';
import { nullable } from '#http/endpoint/responses.ts';

/** Field names and schemas of the status of a site (contract/operations.md §3.2). */

/** All kinds of objects that sites copy, including those that Hearth does not have. */
export const REPLICABLE_KINDS = [
  'lfs_objects',
  'merge_request_diffs',
  'package_files',
  'terraform_state_versions',
  'snippet_repositories',
  'group_wiki_repositories',
  'pipeline_artifacts',
  'pages_deployments',
  'uploads',
  'job_artifacts',
  'ci_secure_files',
  'container_repositories',
  'dependency_proxy_blobs',
  'dependency_proxy_manifests',
  'project_wiki_repositories',
  'project_repositories',
  'design_management_repositories',
  'packages_nuget_symbols',
  'packages_helm_metadata_caches',
  'supply_chain_attestations',
] as const;

/** Suffixes of the counts per kind that a secondary reports: `lfs_objects_synced_count`. */
export const SECONDARY_COUNT_SUFFIXES = [
  'synced_count',
  'failed_count',
  'registry_count',
  'verification_total_count',
  'verified_count',
  'verification_failed_count',
] as const;

/** Suffixes of the counts per kind that only the primary has. */
const PRIMARY_COUNT_SUFFIXES = ['checksum_total_count', 'checksummed_count', 'checksum_failed_count'] as const;

/** Names of the counts of a secondary that do not belong to a kind. */
export const WEEKLY_COUNT_NAMES = [
  'git_fetch_event_count_weekly',
  'git_push_event_count_weekly',
  'proxy_remote_requests_event_count_weekly',
  'proxy_local_requests_event_count_weekly',
] as const;

/** Name of a count of one kind. */
type CountName = `${(typeof REPLICABLE_KINDS)[number]}_${string}`;

const count = nullable(Type.Integer());
const percentage = Type.String({ pattern: '^\\d+\\.\\d\\d%$' });

/** Schemas of the fields of all kinds. */
export const REPLICABLE_FIELDS: Readonly<Record<CountName, TSchema>> = Object.fromEntries(
  REPLICABLE_KINDS.flatMap((kind) => [
    [`${kind}_count`, count],
    ...[...PRIMARY_COUNT_SUFFIXES, ...SECONDARY_COUNT_SUFFIXES].map((suffix) => [`${kind}_${suffix}`, count] as const),
    [`${kind}_synced_in_percentage`, percentage],
    [`${kind}_verified_in_percentage`, percentage],
  ]),
);

/** Formats `part` of `total` as `33.33%`; `0.00%` if `total` is 0 or null. */
export function formatPercentage(part: number | null, total: number | null): string {
  return `${(total ? ((part ?? 0) / total) * 100 : 0).toFixed(2)}%`;
}

/** Reported counts and flags by name; null: not counted. */
export type Counts = Readonly<Record<string, number | boolean | null | undefined>>;

/** Returns the values of `REPLICABLE_FIELDS` for these counts. */
export function buildReplicableValues(counts: Counts): Record<CountName, number | string | null> {
  const getCount = (name: string) => (counts[name] as number | null | undefined) ?? null;
  return Object.fromEntries(
    REPLICABLE_KINDS.flatMap((kind) => {
      const registryCount = getCount(`${kind}_registry_count`);
      const names = [...PRIMARY_COUNT_SUFFIXES, ...SECONDARY_COUNT_SUFFIXES].map((suffix) => `${kind}_${suffix}`);
      return [
        // Stored reports of secondaries have no `_count`. The registry of a secondary has a row per object.
        [`${kind}_count`, getCount(`${kind}_count`) ?? registryCount],
        ...names.map((name) => [name, getCount(name)] as const),
        [`${kind}_synced_in_percentage`, formatPercentage(getCount(`${kind}_synced_count`), registryCount)],
        [`${kind}_verified_in_percentage`, formatPercentage(getCount(`${kind}_verified_count`), registryCount)],
      ];
    }),
  );
}
