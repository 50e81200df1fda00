import { type Caller, isAdministrator, isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import type { InvalidToken } from '#authentication/credentials.ts';
import { findUserById, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import type { ErrorTable } from '../errors/error-messages.ts';
import { forbidden, notFound, unauthorized } from '../errors/http-error.ts';
import { type Parameter, type Parameters, type ParameterValues, required } from '../parameters/declarations.ts';
import { integer } from '../parameters/types.ts';
import type { IncomingRequest } from '../request/incoming.ts';
import type { Services } from '../services.ts';

/**
 * Access rule of an endpoint. It authenticates the caller, loads the resources in the path, authorizes the caller, and
 * determines the type of the handler's arguments. Handlers never authorize.
 */
export interface Access<Provided extends object, AccessParameters extends Parameters = {}> {
  /** Callers of the endpoint. `tokenHolder`: authenticated by another token than API credentials, such as a job token. */
  readonly audience: 'open' | 'user' | 'admin' | 'tokenHolder';
  /** A short label for api.txt: `open`, `project:read_code`. */
  readonly label: string;
  /**
   * Runs before the credentials are checked. Throws if the whole resource is disabled, even for invalid credentials.
   */
  readonly isEnabled?: (call: AccessCall) => Promise<void>;
  /** Runs in the credentials stage. Throws for callers who have no access to any resource. */
  readonly authenticate: (call: AccessCall) => void | Promise<void>;
  /** Loads the parent in the path, or throws. Endpoints with `loadParent` load it before they validate parameters. */
  readonly loadParent?: (call: AccessCall) => Promise<void>;
  /** Called for an unknown, expired or revoked token, before the request is answered with 401. */
  readonly handleInvalidToken?: (call: AccessCall, token: InvalidToken) => Promise<void>;
  /** Parameters that name resources; the parameters of the endpoint come after them. */
  readonly params: AccessParameters;
  /** Errors in addition to the standard 401, 403 and 404, for the OpenAPI document. */
  readonly errors: ErrorTable;
  /** Loads the resources in the path, or throws 404. The result is passed to `authorize` and `provide`. */
  readonly load: (call: AccessCall) => Promise<unknown>;
  /** Throws 403 unless the caller has permission for the loaded resources. */
  readonly authorize: (call: AccessCall, resources: never) => void | Promise<void>;
  /** Maps the loaded resources to properties of the handler's argument. */
  readonly provide: (resources: never) => Provided;
  /** The same access, which also loads a child of the resources that were loaded before. */
  resource<const Name extends string, Row, P extends Parameters = {}>(
    definition: ResourceDefinition<Provided, Name & UnusedName<Name, Provided>, Row, P>,
  ): Access<Provided & { readonly [K in Name]: Row }, AccessParameters & P>;
  /** The same access, with other properties of the handler's argument. */
  map<Mapped extends object>(provide: (provided: Provided) => Mapped): Access<Mapped, AccessParameters>;
  /** The same access with one more check, which throws the error for callers that fail it. */
  require(check: (call: AccessCall, provided: Provided) => void | Promise<void>): Access<Provided, AccessParameters>;
  /** The same access with another label in api.txt, for checks that its own label does not tell. */
  withLabel(label: string): Access<Provided, AccessParameters>;
  /**
   * The same access, with a permission that depends on the body. The handler gets its check as the property `name`.
   * api.txt shows its label.
   */
  deferred<Name extends string, Check>(
    permission: DeferredPermission<Provided, Name & UnusedName<Name, Provided>, Check>,
  ): Access<Provided & { readonly [K in Name]: Check }, AccessParameters>;
  /** The same access, with a callback for unknown, expired and revoked tokens. */
  onInvalidToken(
    callback: (call: AccessCall, token: InvalidToken) => Promise<void>,
  ): Access<Provided, AccessParameters>;
  /** The same access to a resource that may be disabled. */
  whenEnabled(requireEnabled: (call: AccessCall) => Promise<void>): Access<Provided, AccessParameters>;
  /** The same access, with the errors that its own checks throw, for the OpenAPI document. */
  withErrors(errors: ErrorTable): Access<Provided, AccessParameters>;
}

/** Names of the values that handlers get from the request (`endpoint.ts`); access must not provide them. */
export type ReservedName = 'params' | 'page' | 'base' | 'request' | 'rawParams';

/** The name, if no other resource has it; `never` otherwise, so that a second use does not compile. */
type UnusedName<Name extends string, Provided> = Name extends ReservedName | (keyof Provided & string) ? never : Name;

/** Data of the request, as the functions of an access rule get it. */
export interface AccessCall<Params extends object = Readonly<Record<string, unknown>>> {
  readonly services: Services;
  readonly db: Reader;
  readonly caller: Caller;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Validated parameters; empty if the endpoint loads resources before it validates parameters. */
  readonly params: Params;
  readonly request: IncomingRequest;
}

/** Definition of a resource in the path. If `load` returns null, the result of `notFound` is thrown. */
interface ResourceDefinition<Provided, Name extends string, Row, P extends Parameters = {}> {
  readonly name: Name;
  /** Parameters that name the resource; endpoints need not declare them. */
  readonly params?: P;
  readonly load: (call: AccessCall<ParameterValues<P>>, resources: Provided) => Promise<Row | null> | Row | null;
  readonly notFound: () => unknown;
  readonly authorize?: (call: AccessCall, resources: Provided & { readonly [K in Name]: Row }) => void | Promise<void>;
}

/**
 * A permission that depends on the body. Only its check can create the value that the protected operation requires as an
 * argument, so that the check cannot be forgotten.
 */
interface DeferredPermission<Provided, Name extends string, Check> {
  readonly name: Name;
  /** Label that api.txt shows after the label of the access. */
  readonly label: string;
  readonly createCheck: (call: Pick<AccessCall, 'db'>, provided: Provided) => Check;
}

/** Input of `access`. */
interface AccessDefinition<Resources extends object, AccessParameters extends Parameters = {}>
  extends Pick<Access<Resources>, 'audience' | 'label' | 'authenticate' | 'loadParent' | 'handleInvalidToken'> {
  /** The parameters that `load` and `authorize` read. */
  readonly params?: AccessParameters;
  readonly load: (call: AccessCall) => Promise<Resources>;
  readonly authorize: (call: AccessCall, resources: Resources) => void | Promise<void>;
}

/** Returns an access rule; its methods return extended ones. */
export function access<Resources extends object, AccessParameters extends Parameters = {}>(
  definition: AccessDefinition<Resources, AccessParameters>,
): Access<Resources, AccessParameters> {
  const { params = {} as AccessParameters } = definition;
  return composeAccess<Resources, Resources, AccessParameters>({
    ...definition,
    params,
    errors: {},
    provide: (resources) => resources,
  });
}

type AccessParts<Resources, Provided extends object, AccessParameters extends Parameters> = Omit<
  Access<Provided, AccessParameters>,
  | 'resource'
  | 'map'
  | 'require'
  | 'withLabel'
  | 'deferred'
  | 'onInvalidToken'
  | 'whenEnabled'
  | 'withErrors'
  | 'load'
  | 'authorize'
  | 'provide'
> & {
  readonly load: (call: AccessCall) => Promise<Resources>;
  readonly authorize: (call: AccessCall, resources: Resources) => void | Promise<void>;
  readonly provide: (resources: Resources) => Provided;
};

function composeAccess<Resources, Provided extends object, AccessParameters extends Parameters>(
  parts: AccessParts<Resources, Provided, AccessParameters>,
): Access<Provided, AccessParameters> {
  return {
    ...parts,
    resource: (<Name extends string, Row, P extends Parameters>(
      definition: ResourceDefinition<Provided, Name, Row, P>,
    ) => {
      rejectUnknownKeys('A resource', definition, RESOURCE_KEYS);
      type WithResource = Provided & { readonly [K in Name]: Row };
      return composeAccess<WithResource, WithResource, AccessParameters & P>({
        ...parts,
        params: { ...parts.params, ...definition.params } as AccessParameters & P,
        async load(call) {
          const resources = await parts.load(call);
          // A child must not reveal whether it exists to callers without permission for its parent.
          await parts.authorize(call, resources);
          const provided = parts.provide(resources);
          const row = await definition.load(call as AccessCall<ParameterValues<P>>, provided);
          if (row === null) throw definition.notFound();
          return { ...provided, [definition.name]: row } as WithResource;
        },
        authorize: (call, resources) => definition.authorize?.(call, resources),
        provide: (resources) => resources,
      });
    }) as Access<Provided, AccessParameters>['resource'],
    map: (provide) => composeAccess({ ...parts, provide: (resources: Resources) => provide(parts.provide(resources)) }),
    require: (check) =>
      composeAccess({
        ...parts,
        async authorize(call, resources) {
          await parts.authorize(call, resources);
          await check(call, parts.provide(resources));
        },
      }),
    withLabel: (label) => composeAccess({ ...parts, label }),
    deferred: (<Name extends string, Check>({ name, label, createCheck }: DeferredPermission<Provided, Name, Check>) =>
      composeAccess({
        ...parts,
        label: `${parts.label} + ${label}`,
        load: async (call) => ({ call, resources: await parts.load(call) }),
        authorize: (call, { resources }) => parts.authorize(call, resources),
        provide({ call, resources }) {
          const provided = parts.provide(resources);
          return { ...provided, [name]: createCheck(call, provided) } as Provided & { readonly [K in Name]: Check };
        },
      })) as Access<Provided, AccessParameters>['deferred'],
    onInvalidToken: (callback) => composeAccess({ ...parts, handleInvalidToken: callback }),
    whenEnabled: (requireEnabled) => composeAccess({ ...parts, isEnabled: requireEnabled }),
    withErrors: (errors) => composeAccess({ ...parts, errors: { ...parts.errors, ...errors } }),
  };
}

const RESOURCE_KEYS: Readonly<Record<keyof ResourceDefinition<object, string, unknown>, true>> = {
  name: true,
  params: true,
  load: true,
  notFound: true,
  authorize: true,
};

/**
 * Throws for an unknown key. The compiler checks object literals only where they are passed directly: a
 * misspelled `authorize` in a shared or spread one would authorize everyone.
 */
export function rejectUnknownKeys(kind: string, declaration: object, knownKeys: Readonly<Record<string, true>>): void {
  const unknownKeys = Object.keys(declaration).filter((key) => !Object.hasOwn(knownKeys, key));
  if (unknownKeys.length > 0) throw new Error(`${kind} has no key ${unknownKeys.join(', ')}`);
}

const noCheck = () => {};

/** Allows everybody, with or without credentials. */
export function open(): Access<{ caller: Caller }> {
  return access({
    audience: 'open',
    label: 'open',
    authenticate: noCheck,
    load: async ({ caller }) => ({ caller }),
    authorize: noCheck,
  });
}

/** Allows every signed-in user. */
export function signedIn(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'user',
    label: 'user',
    authenticate: requireSignedIn,
    load: async ({ caller }) => ({ caller: requireSignedInCaller(caller) }),
    authorize: noCheck,
  });
}

/** Allows administrators; others get 403 before parameters are validated. For resources that only administrators use. */
export function administrator(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'admin',
    label: 'admin',
    authenticate(call) {
      requireSignedIn(call);
      requireAdministrator(call);
    },
    load: async ({ caller }) => ({ caller: requireSignedInCaller(caller) }),
    authorize: noCheck,
  });
}

/** Allows administrators, after parameters are validated. For resources that others use too (contract/conventions.md §1 stage 8). */
export function administratorAfterParameters(): Access<{ caller: SignedInCaller }> {
  return access({
    audience: 'admin',
    label: 'admin (late)',
    authenticate: requireSignedIn,
    async load(call) {
      requireAdministrator(call);
      return { caller: requireSignedInCaller(call.caller) };
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

export function requireSignedInCaller(caller: Caller): SignedInCaller {
  if (!isSignedIn(caller)) throw unauthorized();
  return caller;
}

/** For `.require(...)`: throws 403 on the tier `free` (contract/conventions.md §11). */
export function forbidOnFreeTier({ services }: Pick<AccessCall, 'services'>): void {
  if (services.config.tier === 'free') throw forbidden();
}

/** Allows administrators and loads the user in this path parameter; answers `404 User Not Found` for a missing one. */
export function administratorWithUser<Name extends 'id' | 'user_id'>(
  parameter: Name,
): Access<{ caller: SignedInCaller; user: User }, { [K in Name]: Parameter<number, 'required'> }> {
  return administrator().resource({
    name: 'user',
    params: { [parameter]: required(integer) } as { [K in Name]: Parameter<number, 'required'> },
    load: ({ db, params }: AccessCall<Readonly<Record<string, unknown>>>) =>
      findUserById(db, params[parameter] as number),
    notFound: () => notFound('User'),
  });
}
