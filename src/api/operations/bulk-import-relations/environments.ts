import { ENVIRONMENT_TIERS } from '#api/environments/environment-model/index.ts';
import { importEnvironment } from '#api/environments/environments/index.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { integer, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation } from './relation.ts';

/** Environments, without their deployments. */
export const environments = declareRelation({
  name: 'environments',
  kind: 'environment',
  isInStats: true,
  list: { project: ({ id }) => `/projects/${id}/environments` },
  fields: {
    id: required(integer),
    name: required(domainValidatedText(255)),
    external_url: optional(domainValidatedText(255)),
    tier: optional(oneOf(...ENVIRONMENT_TIERS)),
    state: optional(oneOf('available', 'stopping', 'stopped'), 'available'),
  },
  async store(uow, { destination }, { name, external_url, tier, state }) {
    const input = { name, external_url: external_url ?? null, tier: tier ?? null, state };
    const result = await importEnvironment(uow, destination.project!, input);
    return isFailure(result) ? result : result.id;
  },
});
