import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, fail, invalid } from '#runtime/failure.ts';
import { type EnvironmentPatch, guessTier, updateEnvironmentRow } from '../environment-model/index.ts';
import { type EnvironmentInput, validateEnvironment } from './validation.ts';

/** Updates the attributes of an environment that the input contains. Name and slug cannot change. */
export async function updateEnvironment(
  uow: UnitOfWork,
  { project_id, id }: EnvironmentRow,
  input: EnvironmentInput,
): Promise<EnvironmentRow | Failure<'agentUnsupported' | 'invalid' | 'notFound'>> {
  if (input.cluster_agent_id != null) return fail('agentUnsupported');
  const errors = compactFieldErrors(validateEnvironment(input));
  if (errors !== null) return invalid(errors);
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('notFound');
  return updateEnvironmentRow(uow, environment, toPatch(environment, input));
}

/** Returns the columns to change. Null clears the URL or the description, and resets the tier to the guess by name. */
function toPatch({ name }: EnvironmentRow, input: EnvironmentInput): EnvironmentPatch {
  const { external_url, tier, description, auto_stop_setting } = input;
  return {
    ...(external_url === undefined ? {} : { external_url: external_url || null }),
    ...(tier === undefined ? {} : { tier: tier ?? guessTier(name) }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(auto_stop_setting == null ? {} : { auto_stop_setting }),
  };
}
