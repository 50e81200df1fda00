import { ANONYMOUS, type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { findRunner, mayDeleteRunner, type Runner, runnerWithToken } from '#authorization/runners.ts';
import type { Reader } from '#database/database.ts';
import { allowsRegistrationTokens, type Registrar, registrarWithToken } from '#domain/runners/registration-tokens.ts';
import { type Access, type AccessCall, access, signedIn } from '#http/access/access.ts';
import { forbidden, HttpError, nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { single } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { readSettings } from '#settings/settings.ts';
import { isInSeveralProjects } from './store.ts';

/** Who may, where it is a runner that the path names, or that calls. */

type Right = (db: Reader, caller: SignedInCaller, runner: Runner) => Promise<boolean>;

/** Signed-in callers who have this right to the runner `:id`; `label` is the right's name in api.txt. */
export function inRunner(right: Right, label: string) {
  return signedIn()
    .resource({
      name: 'runner',
      params: { id: required(integer) },
      load: ({ db, params }: AccessCall<{ readonly id: number }>) => findRunner(db, params.id),
      notFound: nestedNotFound,
      async authorize({ db }, { caller, runner }) {
        if (!(await right(db, caller, runner))) throw forbidden('No access granted');
      },
    })
    .require(() => {}, `runner:${label}`);
}

/** Only administrators delete what works for several projects. */
export async function mayDelete(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  if (!isAdministrator(caller) && (await isInSeveralProjects(db, runner.id))) {
    throw forbidden('Runner associated with more than one project');
  }
  return mayDeleteRunner(db, caller, runner);
}

/** Whoever calls by a proof of his own: credentials of the API that come along are not looked at. */
function byProof(label: string): Access<{ caller: Caller }> {
  return access({
    audience: 'key',
    label,
    authenticate: () => {},
    load: async ({ request }) => ({ caller: { ...ANONYMOUS, address: request.clientAddress } }),
    authorize: () => {},
  });
}

/** Runners, by their token among the parameters: of endpoints with the order `ownProof`. */
export function byRunnerToken() {
  return byProof('runner token').resource({
    name: 'runner',
    params: { token: required(string) },
    load: ({ db, services, params }: AccessCall<{ readonly token: string }>) =>
      runnerWithToken(db, params.token, timestamp(services.clock)),
    notFound: () => forbidden(),
  });
}

/** Runners, by their token in the header `Runner-Token`. */
export function byRunnerTokenHeader() {
  return byProof('runner token').require(async ({ db, services, request }) => {
    const token = single(request.headers['runner-token']);
    if (!token || !(await runnerWithToken(db, token, timestamp(services.clock)))) throw forbidden();
  });
}

const DISALLOWED = '410 Gone - runner registration disallowed';

/** Whoever holds a registration token: of endpoints with the order `ownProof`. */
export function byRegistrationToken() {
  return byProof('registration token')
    .resource({
      name: 'registrar',
      params: { token: required(string) },
      load: ({ db, services, params }: AccessCall<{ readonly token: string }>) =>
        registrarFor(db, params.token, services),
      notFound: () => forbidden('invalid token supplied'),
    })
    .withErrors({ disallowed: [410, DISALLOWED] });
}

async function registrarFor(
  db: Reader,
  token: string,
  { config, secretKey }: Pick<Services, 'config' | 'secretKey'>,
): Promise<Registrar | null> {
  const { allow_runner_registration_token: allowed, valid_runner_registrars: valid } = await readSettings(db);
  if (token === '') return null;
  if (!allowed) throw gone();
  const registrar = await registrarWithToken(db, token, secretKey, config);
  if (registrar === null) return null;
  if (registrar.type !== 'instance' && !valid.includes(registrar.type)) return null;
  if (!(await allowsRegistrationTokens(db, registrar))) throw gone();
  return registrar;
}

const gone = () => new HttpError(410, { message: DISALLOWED });
