import { type Static, Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, shape } from '#http/endpoint/responses.ts';
import { type Flag, type FlagName, isFlagName, KNOWN_FLAGS } from '#settings/features.ts';

/** The representations of a feature flag (contract/conventions.md §10). */

/** The definition of a flag that Hearth uses. */
export const FeatureDefinition = entity('FeatureDefinition', {
  name: Type.String(),
  feature_issue_url: Type.Null(),
  introduced_by_url: Type.Null(),
  rollout_issue_url: Type.Null(),
  milestone: Type.Null(),
  log_state_changes: Type.Null(),
  type: Type.String(),
  group: Type.Null(),
  default_enabled: Type.Boolean(),
  intended_to_rollout_by: Type.Null(),
}).from((name: FlagName, { tier }) => ({
  name,
  feature_issue_url: null,
  introduced_by_url: null,
  rollout_issue_url: null,
  milestone: null,
  log_state_changes: null,
  type: 'development',
  group: null,
  default_enabled: KNOWN_FLAGS[name][tier],
  intended_to_rollout_by: null,
}));

const FeatureGate = shape('FeatureGate', {
  key: Type.String(),
  value: Type.Union([Type.Boolean(), Type.Number(), Type.Array(Type.String()), Type.Null()]),
});

export const Feature = entity('Feature', {
  name: Type.String(),
  state: Type.Union([Type.Literal('on'), Type.Literal('off'), Type.Literal('conditional')]),
  gates: Type.Array(FeatureGate),
  definition: nullable(FeatureDefinition.schema),
}).from((flag: Flag, to) => ({
  name: flag.name,
  state: stateOf(flag),
  gates: gatesOf(flag),
  definition: isFlagName(flag.name) ? FeatureDefinition.serialize(flag.name, to) : null,
}));

function stateOf(flag: Flag): 'on' | 'off' | 'conditional' {
  if (flag.onForAll) return 'on';
  return gatesOf(flag).length > DEFAULT_GATE_COUNT ? 'conditional' : 'off';
}

const DEFAULT_GATE_COUNT = 2;

/** Always `boolean` and `expression`; other gates if they are set. */
function gatesOf(flag: Flag): Static<typeof FeatureGate>[] {
  const { actors, percentageOfActors, percentageOfTime, featureGroups } = flag;
  const gates: Static<typeof FeatureGate>[] = [
    { key: 'boolean', value: flag.onForAll },
    { key: 'expression', value: null },
  ];
  if (actors.length > 0) gates.push({ key: 'actors', value: [...actors] });
  if (percentageOfActors !== null) gates.push({ key: 'percentage_of_actors', value: percentageOfActors });
  if (percentageOfTime !== null) gates.push({ key: 'percentage_of_time', value: percentageOfTime });
  if (featureGroups.length > 0) gates.push({ key: 'groups', value: [...featureGroups] });
  return gates;
}
