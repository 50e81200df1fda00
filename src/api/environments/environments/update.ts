import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, fieldErrors, invalid } from '#runtime/failure.ts';
import { changeEnvironment, type EnvironmentChange, guessTier } from '../environment-model/index.ts';
import { type Wish, wishErrors } from './validation.ts';

/** Changes what is given of an environment; what is so already is no change. Its name and slug stay. */
export async function updateEnvironment(
  uow: UnitOfWork,
  { project_id, id }: EnvironmentRow,
  wish: Wish,
): Promise<EnvironmentRow | Failure<'noAgent' | 'invalid' | 'gone'>> {
  if (wish.cluster_agent_id != null) return fail('noAgent');
  const errors = fieldErrors(wishErrors(wish));
  if (errors !== null) return invalid(errors);
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('gone');
  return changeEnvironment(uow, environment, changeOf(environment, wish));
}

/** Null takes an address or a description away, and has the tier guessed again. */
function changeOf({ name }: EnvironmentRow, wish: Wish): EnvironmentChange {
  const { external_url, tier, description, auto_stop_setting } = wish;
  return {
    ...(external_url === undefined ? {} : { external_url: external_url || null }),
    ...(tier === undefined ? {} : { tier: tier ?? guessTier(name) }),
    ...(description === undefined ? {} : { description: description || null }),
    ...(auto_stop_setting == null ? {} : { auto_stop_setting }),
  };
}
