import { type TSchema, Type } from 'typebox';
import { nullable } from '#http/endpoint/responses.ts';

/** The names of a status document (contract/operations.md §3.2). */

/** All kinds of things that sites copy, those too of which Hearth has none. */
export const KINDS = [
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

/** What a secondary counts of each kind. */
export const COUNTED_BY_SECONDARIES = [
  'synced_count',
  'failed_count',
  'registry_count',
  'verification_total_count',
  'verified_count',
  'verification_failed_count',
] as const;

/** What the primary counts of each kind, and a secondary doesn't. */
const COUNTED_BY_PRIMARIES = ['checksum_total_count', 'checksummed_count', 'checksum_failed_count'] as const;

/** What a secondary counts besides. */
export const WEEKLY = [
  'git_fetch_event_count_weekly',
  'git_push_event_count_weekly',
  'proxy_remote_requests_event_count_weekly',
  'proxy_local_requests_event_count_weekly',
] as const;

/** The name of one number of a kind. */
type CountName = `${(typeof KINDS)[number]}_${string}`;

const count = nullable(Type.Integer());
const percentage = Type.String({ pattern: '^\\d+\\.\\d\\d%$' });

/** The fields of all kinds. */
export const KIND_FIELDS: Readonly<Record<CountName, TSchema>> = Object.fromEntries(
  KINDS.flatMap((kind) => [
    [`${kind}_count`, count],
    ...[...COUNTED_BY_PRIMARIES, ...COUNTED_BY_SECONDARIES].map((what) => [`${kind}_${what}`, count] as const),
    [`${kind}_synced_in_percentage`, percentage],
    [`${kind}_verified_in_percentage`, percentage],
  ]),
);

/** `part` of `total`: `33.33%`; of nothing it is `0.00%`. */
export function percentageOf(part: number | null, total: number | null): string {
  return `${(total ? ((part ?? 0) / total) * 100 : 0).toFixed(2)}%`;
}

/** A number that was counted; null: it was not. */
export type Counts = Readonly<Record<string, number | boolean | null | undefined>>;

/** The values of `KIND_FIELDS`, from what was counted by their names. */
export function kindValues(counts: Counts): Record<CountName, number | string | null> {
  const counted = (name: string) => (counts[name] as number | null | undefined) ?? null;
  return Object.fromEntries(
    KINDS.flatMap((kind) => {
      const registered = counted(`${kind}_registry_count`);
      const names = [...COUNTED_BY_PRIMARIES, ...COUNTED_BY_SECONDARIES].map((what) => `${kind}_${what}`);
      return [
        [`${kind}_count`, counted(`${kind}_count`) ?? registered],
        ...names.map((name) => [name, counted(name)] as const),
        [`${kind}_synced_in_percentage`, percentageOf(counted(`${kind}_synced_count`), registered)],
        [`${kind}_verified_in_percentage`, percentageOf(counted(`${kind}_verified_count`), registered)],
      ];
    }),
  );
}
