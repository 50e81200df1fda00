import { mutuallyExclusive, optional, type ParameterRule } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { domainValidatedText, searchExpression, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, anyValue, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { ENVIRONMENT_TIERS } from '../environment-model/index.ts';

/** Parameters for creating and updating an environment. */
export const environmentParams = {
  external_url: optional(domainValidatedText(255)),
  tier: optional(oneOf(...ENVIRONMENT_TIERS)),
  description: optional(domainValidatedText(10_000)),
  auto_stop_setting: optional(oneOf('always', 'with_action')),
  slug: optional(anyValue),
  cluster_agent_id: optional(integer),
  kubernetes_namespace: optional(string),
  flux_resource_path: optional(string),
};

/** Rejects `slug`, which is derived from the name. */
export const rejectSlugRule: ParameterRule = (rawParams, problems) => {
  if (rawParams.slug !== undefined) problems.add('slug is automatically generated and cannot be changed');
};

/** Filters of a list. */
export const listEnvironmentParams = {
  name: optional(absentIfBlank(shortText)),
  search: optional(absentIfBlank(searchExpression)),
  states: optional(absentIfBlank(oneOf('available', 'stopping', 'stopped'))),
};

export const nameOrSearchRule = mutuallyExclusive('name', 'search', { text: 'name, search cannot be used together' });

const DAY_MONTH_YEAR = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** Accepts `dateTime` values and days such as `31/12/2025`. */
export const flexibleDateTime: ParameterType<string> = {
  ...dateTime,
  read(raw, name, problems) {
    const parts = typeof raw === 'string' && raw.length <= 20 ? DAY_MONTH_YEAR.exec(raw.trim()) : null;
    if (parts === null) return dateTime.read(raw, name, problems);
    const [, day = '', month = '', year = ''] = parts;
    return dateTime.read(`${year}-${month}-${day}`, name, problems);
  },
};
