import { type Static, Type } from 'typebox';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { object, optional } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { searchExpression, string } from '#http/parameters/texts.ts';
import { boolean, integer } from '#http/parameters/types.ts';
import { DAY_MS } from '#runtime/clock.ts';
import type { FieldErrors } from '#runtime/failure.ts';
import { validateRegexSyntax } from '#text/safe-regex.ts';

/**
 * The expiration policy of a project's container images (contract/planning.md §3.3). Hearth stores and returns it, but
 * has no container images to delete.
 */

/** The policy as projects show it. */
export const ContainerExpirationPolicy = objectSchema('ContainerExpirationPolicy', {
  cadence: Type.String(),
  enabled: Type.Boolean(),
  keep_n: nullable(Type.Integer()),
  older_than: nullable(Type.String()),
  name_regex: nullable(Type.String()),
  name_regex_keep: nullable(Type.String()),
  next_run_at: dateTime,
});

type ExpirationPolicy = Static<typeof ContainerExpirationPolicy>;
/** Values that were set. Null is a value; a required value that is null is reported as an error. */
type ExpirationPolicyChanges = { readonly [Name in keyof ExpirationPolicy]?: ExpirationPolicy[Name] | null };

/** The policy of a project that has never set one. */
const DEFAULT_POLICY = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
};

const policyParams = object({
  cadence: optional(string),
  enabled: optional(boolean),
  keep_n: optional(integer),
  older_than: optional(string),
  name_regex: optional(searchExpression),
  /** The new name of `name_regex`. */
  name_regex_delete: optional(searchExpression),
  name_regex_keep: optional(searchExpression),
});

/** The parameter type of the policy. The result has only the values that were sent, under their current names. */
export const expirationPolicyInput: ParameterType<ExpirationPolicyChanges> = {
  ...policyParams,
  valueForNull: {},
  read(raw, name, problems) {
    const input = policyParams.read(raw, name, problems);
    if (input === null) return null;
    const { name_regex_delete = input.name_regex, ...others } = input;
    const changes = Object.entries({ ...others, name_regex: name_regex_delete });
    return Object.fromEntries(changes.filter(([, value]) => value !== undefined));
  },
};

/** Interval of each cadence, in days; a month counts as 30 days. */
const CADENCE_DAYS: Readonly<Record<string, number>> = { '1d': 1, '7d': 7, '14d': 14, '1month': 30, '3month': 90 };
/** Values of `older_than`. */
const ALLOWED_AGES = ['7d', '14d', '30d', '60d', '90d'];
/** Values of `keep_n`. */
const ALLOWED_COUNTS = [1, 5, 10, 25, 50, 100];

/** Returns the stored values after a change, which schedules the next run. */
export function mergeExpirationPolicy(
  changes: ExpirationPolicyChanges,
  current: ExpirationPolicyChanges,
  now: string,
): ExpirationPolicyChanges {
  if (Object.keys(changes).length === 0) return current;
  const values = { ...current, ...changes };
  return { ...values, next_run_at: getNextRun(now, values.cadence ?? DEFAULT_POLICY.cadence) };
}

/** Returns the timestamp of the next run. An unknown cadence, which validation rejects, counts as one day. */
function getNextRun(now: string, cadence: string): string {
  return new Date(Date.parse(now) + (CADENCE_DAYS[cadence] ?? 1) * DAY_MS).toISOString();
}

/** Returns the policy of a project with the defaults of values that were never set. */
export function buildExpirationPolicy(values: ExpirationPolicyChanges, createdAt: string): ExpirationPolicy {
  const { next_run_at = getNextRun(createdAt, DEFAULT_POLICY.cadence), ...explicitValues } = values;
  return { ...DEFAULT_POLICY, ...explicitValues, next_run_at } as ExpirationPolicy;
}

/** Returns errors by field. Regular expressions are checked only if the policy is enabled. */
export function validateExpirationPolicy(values: ExpirationPolicyChanges): FieldErrors {
  const { cadence, enabled, keep_n, older_than, name_regex, name_regex_keep } = { ...DEFAULT_POLICY, ...values };
  const errors = {
    cadence: [...(cadence ? [] : [BLANK]), ...validateInclusion(Object.keys(CADENCE_DAYS), cadence)],
    enabled: validateInclusion([true, false], enabled),
    keep_n: keep_n === null ? [] : validateInclusion(ALLOWED_COUNTS, keep_n),
    older_than: older_than === null ? [] : validateInclusion(ALLOWED_AGES, older_than),
    name_regex: !enabled ? [] : name_regex ? validateRegexSyntax(name_regex) : [BLANK],
    name_regex_keep: enabled && name_regex_keep ? validateRegexSyntax(name_regex_keep) : [],
  };
  return Object.fromEntries(
    Object.entries(errors).map(([name, texts]) => [`container_expiration_policy.${name}`, texts]),
  );
}

const BLANK = "can't be blank";
const validateInclusion = (values: readonly unknown[], value: unknown) =>
  values.includes(value) ? [] : ['is not included in the list'];
