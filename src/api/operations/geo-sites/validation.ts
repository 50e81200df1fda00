import { SCHEME_ERROR } from '#outbound-http/index.ts';
import { compactFieldErrors, type FieldErrors } from '#runtime/failure.ts';
import type { SiteFields } from './site.ts';

/** Facts about the server and its sites that the validation depends on. */
interface SiteValidationContext {
  /** Whether another site has the name. */
  readonly isNameTaken: boolean;
  /** Whether another site is the primary. */
  readonly hasOtherPrimary: boolean;
  /** Whether the validated site is this server. */
  readonly isThisServer: boolean;
}

const CAPACITY_FIELDS = [
  'files_max_capacity',
  'repos_max_capacity',
  'verification_max_capacity',
  'container_repositories_max_capacity',
] as const;

/** Returns the validation errors by field, or null (contract/operations.md §3.1). Expects trimmed texts. */
export function validateSite(site: SiteFields, context: SiteValidationContext): FieldErrors | null {
  return compactFieldErrors({
    name: validateName(site.name, context.isNameTaken),
    url: site.url === '' ? ["can't be blank", 'must be a valid URL'] : validateUrl(site.url),
    internal_url: site.internal_url === null ? [] : validateUrl(site.internal_url),
    primary: site.is_primary && context.hasOtherPrimary ? ['node already exists'] : [],
    enabled: site.is_primary && !site.enabled ? ['Geo primary node cannot be disabled'] : [],
    ...Object.fromEntries(CAPACITY_FIELDS.map((name) => [name, validateMinimum(0, site[name])])),
    minimum_reverification_interval: validateMinimum(1, site.minimum_reverification_interval),
    selective_sync_type: [null, 'namespaces', 'shards'].includes(site.selective_sync_type)
      ? []
      : ['is not included in the list'],
    base:
      !site.is_primary && context.isThisServer
        ? ['Current node must be the primary node or you will be locking yourself out']
        : [],
  });
}

const MAX_NAME_LENGTH = 255;

function validateName(name: string, isTaken: boolean): string[] {
  if (name === '') return ["can't be blank"];
  const lengthErrors =
    [...name].length > MAX_NAME_LENGTH ? [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] : [];
  return [...(isTaken ? ['has already been taken'] : []), ...lengthErrors];
}

/** Returns the errors of a URL. A scheme other than HTTP hides all other errors. */
function validateUrl(url: string): string[] {
  if (!/^https?:/i.test(url)) return [`is blocked: ${SCHEME_ERROR}`];
  // `URL` ignores line breaks and tabs, but the stored text would contain them.
  const hasNoSpaces = !/[\s\p{Cc}]/u.test(url);
  return hasNoSpaces && /^https?:\/\//i.test(url) && URL.canParse(url) ? [] : ['must be a valid URL'];
}

const validateMinimum = (minimum: number, value: number): string[] =>
  value >= minimum ? [] : [`must be greater than or equal to ${minimum}`];
