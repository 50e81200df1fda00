import { compactFieldErrors, type FieldErrors } from '#runtime/failure.ts';
import type { SiteFields } from './site.ts';

/** What of others decides whether a site may be as it is. */
interface Surroundings {
  readonly nameTaken: boolean;
  /** Another site is the primary one. */
  readonly otherPrimary: boolean;
  /** It is called like this server. */
  readonly here: boolean;
}

const CAPACITIES = [
  'files_max_capacity',
  'repos_max_capacity',
  'verification_max_capacity',
  'container_repositories_max_capacity',
] as const;

/** All that is wrong with a site, by field (contract/operations.md §3.1); null: nothing is. Its texts are trimmed. */
export function siteProblems(site: SiteFields, around: Surroundings): FieldErrors | null {
  return compactFieldErrors({
    name: nameProblems(site.name, around.nameTaken),
    url: site.url === '' ? ["can't be blank", 'must be a valid URL'] : urlProblems(site.url),
    internal_url: site.internal_url === null ? [] : urlProblems(site.internal_url),
    primary: site.is_primary && around.otherPrimary ? ['node already exists'] : [],
    enabled: site.is_primary && !site.enabled ? ['Geo primary node cannot be disabled'] : [],
    ...Object.fromEntries(CAPACITIES.map((name) => [name, atLeast(0, site[name])])),
    minimum_reverification_interval: atLeast(1, site.minimum_reverification_interval),
    selective_sync_type: [null, 'namespaces', 'shards'].includes(site.selective_sync_type)
      ? []
      : ['is not included in the list'],
    base:
      !site.is_primary && around.here
        ? ['Current node must be the primary node or you will be locking yourself out']
        : [],
  });
}

const LONGEST_NAME = 255;

function nameProblems(name: string, taken: boolean): string[] {
  if (name === '') return ["can't be blank"];
  const long = [...name].length > LONGEST_NAME ? [`is too long (maximum is ${LONGEST_NAME} characters)`] : [];
  return [...(taken ? ['has already been taken'] : []), ...long];
}

function urlProblems(url: string): string[] {
  if (!/^https?:/i.test(url)) return ['is blocked: Only allowed schemes are http, https'];
  // Of line ends and tabs a parser takes no notice; what is kept would have them.
  const isWhole = !/[\s\p{Cc}]/u.test(url);
  return isWhole && /^https?:\/\//i.test(url) && URL.canParse(url) ? [] : ['must be a valid URL'];
}

const atLeast = (least: number, value: number): string[] =>
  value >= least ? [] : [`must be greater than or equal to ${least}`];
