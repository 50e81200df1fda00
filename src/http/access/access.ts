import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { isAdministrator, isSignedIn } from '#authentication/caller.ts';
import type { InvalidToken } from '#authentication/credentials.ts';
import type { Reader } from '#database/database.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import { forbidden, unauthorized } from '../errors/http-error.ts';
import type { Parameters, ParameterValues } from '../parameters/declarations.ts';
import type { Incoming } from '../request/incoming.ts';
import type { Services } from '../services.ts';

/**
 * Who may call an endpoint, as the value that enforces it: it refuses anonymous callers, loads what the path names,
 * asks for the ability, and types what the handler gets. Handlers never authorize.
 */
export interface Access<Provided extends object, Needed extends Parameters = {}> {
  /** The column `auth` of the list of routes: open to the public, signed-in users, administrators, or another proof. */
  readonly audience: 'open' | 'user' | 'admin' | 'key';
  /** One word or two for api.txt: `open`, `project:read_code`. */
  readonly label: string;
  /** Before anything is known but who says he calls: refuses where the whole family is switched off, even with wrong credentials. */
  readonly isEnabled?: (call: AccessCall) => Promise<void>;
  /** The credentials stage: refuses callers whom nothing that the path names could let in. */
  readonly authenticate: (call: AccessCall) => void | Promise<void>;
  /** Before parameters are looked at: finds the place that the path names, or refuses. Endpoints have the order of it by themselves. */
  readonly loadParent?: (call: AccessCall) => Promise<void>;
  /** Told of a token that is refused as unknown, expired or revoked, before the caller is. */
  readonly invalidToken?: (call: AccessCall, token: InvalidToken) => Promise<void>;
  /** Parameters that name records; those of the endpoint come after them. */
  readonly params: Needed;
  /** What it refuses besides 401, 403 and 404 in their usual words, for the document. */
  readonly errors: ErrorTable;
  /** Loads what the path names, or answers 404. What it finds is for `allow` and `provide`. */
  readonly load: (call: AccessCall) => Promise<unknown>;
  /** May this caller do it to what was found? Answers 403 otherwise. */
  readonly authorize: (call: AccessCall, found: never) => void | Promise<void>;
  /** What the endpoint gets of what was found. */
  readonly provide: (found: never) => Provided;
  /** Records below what has been found. */
  resource<const Name extends string, Row, P extends Parameters = {}>(
    definition: ResourceDefinition<Provided, Name & Free<Name, Provided>, Row, P>,
  ): Access<Provided & { readonly [K in Name]: Row }, Needed & P>;
  /** The same access, with what the endpoint gets made of what was found. */
  map<Other extends object>(provide: (provided: Provided) => Other): Access<Other, Needed>;
  /** The same access, with one more question to whoever may; `label` says so in api.txt. */
  require(
    allow: (call: AccessCall, provided: Provided) => void | Promise<void>,
    label?: string,
  ): Access<Provided, Needed>;
  /**
   * The same access, with a right that only the call's own values can settle: the endpoint gets the question under this
   * name, and api.txt tells of it.
   */
  deferred<Name extends string, Question>(
    right: DeferredPermission<Provided, Name & Free<Name, Provided>, Question>,
  ): Access<Provided & { readonly [K in Name]: Question }, Needed>;
  /** The same access, which is told of a dead token before the caller is. */
  onInvalidToken(deadToken: (call: AccessCall, token: InvalidToken) => Promise<void>): Access<Provided, Needed>;
  /** The same access, to what may be switched off. */
  whenEnabled(offered: (call: AccessCall) => Promise<void>): Access<Provided, Needed>;
  /** The same access, which says what else it refuses: texts that its own checks throw. */
  withErrors(refuses: ErrorTable): Access<Provided, Needed>;
}

/** What the call of every endpoint has besides what access provides: nothing provided may bear these names. */
export type Reserved = 'params' | 'page' | 'base' | 'request' | 'given';

/** A record's name, unless something has it already. */
type Free<Name extends string, Provided> = Name extends Reserved | (keyof Provided & string) ? never : Name;

export interface AccessCall<Params extends object = Readonly<Record<string, unknown>>> {
  readonly services: Services;
  readonly db: Reader;
  readonly caller: Caller;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Read parameters; empty in orders that find before they read. */
  readonly params: Params;
  readonly request: Incoming;
}

/** How a record below a project, group or user is loaded: null is answered with `missing()`. */
export interface ResourceDefinition<Provided, Name extends string, Row, P extends Parameters = {}> {
  readonly name: Name;
  /** The parameters that name it: endpoints with this record need not declare them. */
  readonly params?: P;
  readonly load: (call: AccessCall<ParameterValues<P>>, found: Provided) => Promise<Row | null> | Row | null;
  readonly notFound: () => unknown;
  readonly authorize?: (call: AccessCall, found: Provided & { readonly [K in Name]: Row }) => void | Promise<void>;
}

/**
 * A right that depends on what the body says, be it read late. What asks for it hands out something that cannot be had
 * otherwise, and what the right is for wants just that: nobody can forget to ask.
 */
interface DeferredPermission<Provided, Name extends string, Question> {
  readonly name: Name;
  /** What api.txt says behind the label of the access. */
  readonly label: string;
  readonly question: (call: Pick<AccessCall, 'db'>, provided: Provided) => Question;
}

/** One way in, written down: everything but what can be made of it. */
export interface AccessDefinition<Found extends object, Needed extends Parameters = {}>
  extends Pick<Access<Found>, 'audience' | 'label' | 'authenticate' | 'loadParent' | 'invalidToken'> {
  /** What it looks at itself, beside the path. */
  readonly params?: Needed;
  readonly load: (call: AccessCall) => Promise<Found>;
  readonly authorize: (call: AccessCall, found: Found) => void | Promise<void>;
}

export function access<Found extends object, Needed extends Parameters = {}>(
  definition: AccessDefinition<Found, Needed>,
): Access<Found, Needed> {
  const { params = {} as Needed } = definition;
  return composed<Found, Found, Needed>({ ...definition, params, errors: {}, provide: (found) => found });
}

type AccessParts<Found, Provided extends object, Needed extends Parameters> = Omit<
  Access<Provided, Needed>,
  | 'resource'
  | 'map'
  | 'require'
  | 'deferred'
  | 'onInvalidToken'
  | 'whenEnabled'
  | 'withErrors'
  | 'load'
  | 'authorize'
  | 'provide'
> & {
  readonly load: (call: AccessCall) => Promise<Found>;
  readonly authorize: (call: AccessCall, found: Found) => void | Promise<void>;
  readonly provide: (found: Found) => Provided;
};

function composed<Found, Provided extends object, Needed extends Parameters>(
  parts: AccessParts<Found, Provided, Needed>,
): Access<Provided, Needed> {
  return {
    ...parts,
    resource: (<Name extends string, Row, P extends Parameters>(
      definition: ResourceDefinition<Provided, Name, Row, P>,
    ) => {
      type Wider = Provided & { readonly [K in Name]: Row };
      return composed<Wider, Wider, Needed & P>({
        ...parts,
        params: { ...parts.params, ...definition.params } as Needed & P,
        async load(call) {
          const found = await parts.load(call);
          await parts.authorize(call, found);
          const provided = parts.provide(found);
          const row = await definition.load(call as AccessCall<ParameterValues<P>>, provided);
          if (row === null) throw definition.notFound();
          return { ...provided, [definition.name]: row } as Wider;
        },
        authorize: (call, found) => definition.authorize?.(call, found),
        provide: (found) => found,
      });
    }) as Access<Provided, Needed>['resource'],
    map: (provide) => composed({ ...parts, provide: (found: Found) => provide(parts.provide(found)) }),
    require: (allow, label = parts.label) =>
      composed({
        ...parts,
        label,
        async authorize(call, found) {
          await parts.authorize(call, found);
          await allow(call, parts.provide(found));
        },
      }),
    deferred: (<Name extends string, Question>({
      name,
      label,
      question,
    }: DeferredPermission<Provided, Name, Question>) =>
      composed({
        ...parts,
        label: `${parts.label} + ${label}`,
        load: async (call) => ({ call, found: await parts.load(call) }),
        authorize: (call, { found }) => parts.authorize(call, found),
        provide({ call, found }) {
          const provided = parts.provide(found);
          return { ...provided, [name]: question(call, provided) } as Provided & { readonly [K in Name]: Question };
        },
      })) as Access<Provided, Needed>['deferred'],
    onInvalidToken: (deadToken) => composed({ ...parts, invalidToken: deadToken }),
    whenEnabled: (offered) => composed({ ...parts, isEnabled: offered }),
    withErrors: (refuses) => composed({ ...parts, errors: { ...parts.errors, ...refuses } }),
  };
}

const noCheck = () => {};

/** Anybody, with or without credentials. */
export function open(): Access<{ caller: Caller }> {
  return access({
    audience: 'open',
    label: 'open',
    authenticate: noCheck,
    load: async ({ caller }) => ({ caller }),
    authorize: noCheck,
  });
}

/** Any signed-in user. */
export function signedIn(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: 'user',
    authenticate: requireSignedIn,
    load: async ({ caller }) => ({ caller: signedInCaller(caller) }),
    authorize: noCheck,
  });
}

/** Administrators; a family that is theirs as a whole refuses others before it looks at parameters. */
export function administrator(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'admin',
    label: 'admin',
    authenticate(call) {
      requireSignedIn(call);
      requireAdministrator(call);
    },
    load: async ({ caller }) => ({ caller: signedInCaller(caller) }),
    authorize: noCheck,
  });
}

/** An administrator's endpoint in a family of everybody's: parameters are checked first (contract/conventions.md §1 stage 8). */
export function administratorLate(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'admin',
    label: 'admin (late)',
    authenticate: requireSignedIn,
    async load(call) {
      requireAdministrator(call);
      return { caller: signedInCaller(call.caller) };
    },
    authorize: noCheck,
  });
}

export function requireSignedIn({ caller }: AccessCall): void {
  if (!isSignedIn(caller)) throw unauthorized();
}

function requireAdministrator({ caller }: AccessCall): void {
  if (!isAdministrator(caller)) throw forbidden();
}

export function signedInCaller(caller: Caller): SignedInCaller {
  if (!isSignedIn(caller)) throw unauthorized();
  return caller;
}
