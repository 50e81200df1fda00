import { optional, type Rule } from '../../../http/parameters/declarations.ts';
import { ruledText } from '../../../http/parameters/texts.ts';
import { anything, integer, oneOf } from '../../../http/parameters/types.ts';
import { TIERS } from '../targets/index.ts';

/** What may be said of an environment when it is made and when it is changed. */
export const environmentParams = {
  external_url: optional(ruledText(255)),
  tier: optional(oneOf(...TIERS)),
  description: optional(ruledText(10_000)),
  auto_stop_setting: optional(oneOf('always', 'with_action')),
  slug: optional(anything),
  cluster_agent_id: optional(integer),
  kubernetes_namespace: optional(ruledText(63)),
  flux_resource_path: optional(ruledText(255)),
};

/** What an environment is called in host names follows from its name. */
export const slugNotGiven: Rule = (given, problems) => {
  if (given.slug !== undefined) problems.add('slug is automatically generated and cannot be changed');
};
