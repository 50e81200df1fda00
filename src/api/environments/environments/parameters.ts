import { exclusive, optional, type Rule } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { expression, ruledText, string, title } from '#http/parameters/texts.ts';
import { absentIfBlank, anything, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { TIERS } from '../environment-model/index.ts';

/** What may be said of an environment when it is made and when it is changed. */
export const environmentParams = {
  external_url: optional(ruledText(255)),
  tier: optional(oneOf(...TIERS)),
  description: optional(ruledText(10_000)),
  auto_stop_setting: optional(oneOf('always', 'with_action')),
  slug: optional(anything),
  cluster_agent_id: optional(integer),
  kubernetes_namespace: optional(string),
  flux_resource_path: optional(string),
};

/** What an environment is called in host names follows from its name. */
export const slugNotGiven: Rule = (given, problems) => {
  if (given.slug !== undefined) problems.add('slug is automatically generated and cannot be changed');
};

/** What a list is narrowed to. */
export const listParams = {
  name: optional(absentIfBlank(title)),
  search: optional(absentIfBlank(expression)),
  states: optional(absentIfBlank(oneOf('available', 'stopping', 'stopped'))),
};

export const nameOrSearch = exclusive('name', 'search', { text: 'name, search cannot be used together' });

const DAY_MONTH_YEAR = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** As `dateTime`; days too as people write them, `31/12/2025`. */
export const spokenDateTime: ParameterType<string> = {
  ...dateTime,
  read(raw, name, problems) {
    const parts = typeof raw === 'string' && raw.length <= 20 ? DAY_MONTH_YEAR.exec(raw.trim()) : null;
    if (parts === null) return dateTime.read(raw, name, problems);
    const [, day = '', month = '', year = ''] = parts;
    return dateTime.read(`${year}-${month}-${day}`, name, problems);
  },
};
