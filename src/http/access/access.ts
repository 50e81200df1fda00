import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import { isAdministrator, isSignedIn } from '#authentication/caller.ts';
import type { DeadToken } from '#authentication/credentials.ts';
import type { Reader } from '#database/database.ts';
import type { Refusals } from '../errors/error-table.ts';
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
  readonly who: 'open' | 'user' | 'admin' | 'key';
  /** One word or two for api.txt: `open`, `project:read_code`. */
  readonly label: string;
  /** Before anything is known but who says he calls: refuses where the whole family is switched off, even with wrong credentials. */
  readonly offered?: (call: AccessCall) => Promise<void>;
  /** The credentials stage: refuses callers whom nothing that the path names could let in. */
  readonly admit: (call: AccessCall) => void | Promise<void>;
  /** Before parameters are looked at: finds the place that the path names, or refuses. Endpoints have the order of it by themselves. */
  readonly place?: (call: AccessCall) => Promise<void>;
  /** Told of a token that is refused as unknown, expired or revoked, before the caller is. */
  readonly deadToken?: (call: AccessCall, token: DeadToken) => Promise<void>;
  /** Parameters that name records; those of the endpoint come after them. */
  readonly params: Needed;
  /** What it refuses besides 401, 403 and 404 in their usual words, for the document. */
  readonly refuses: Refusals;
  /** Loads what the path names, or answers 404. What it finds is for `allow` and `provide`. */
  readonly find: (call: AccessCall) => Promise<unknown>;
  /** May this caller do it to what was found? Answers 403 otherwise. */
  readonly allow: (call: AccessCall, found: never) => void | Promise<void>;
  /** What the endpoint gets of what was found. */
  readonly provide: (found: never) => Provided;
  /** Records below what has been found. */
  record<const Name extends string, Row, P extends Parameters = {}>(
    definition: RecordDefinition<Provided, Name & Free<Name, Provided>, Row, P>,
  ): Access<Provided & { readonly [K in Name]: Row }, Needed & P>;
  /** The same access, with what the endpoint gets made of what was found. */
  map<Other extends object>(provide: (provided: Provided) => Other): Access<Other, Needed>;
  /** The same access, with one more question to whoever may; `label` says so in api.txt. */
  and(allow: (call: AccessCall, provided: Provided) => void | Promise<void>, label?: string): Access<Provided, Needed>;
  /**
   * The same access, with a right that only the call's own values can settle: the endpoint gets the question under this
   * name, and api.txt tells of it.
   */
  late<Name extends string, Question>(
    right: LateRight<Provided, Name & Free<Name, Provided>, Question>,
  ): Access<Provided & { readonly [K in Name]: Question }, Needed>;
  /** The same access, which is told of a dead token before the caller is. */
  onDeadToken(deadToken: (call: AccessCall, token: DeadToken) => Promise<void>): Access<Provided, Needed>;
  /** The same access, to what may be switched off. */
  whereOffered(offered: (call: AccessCall) => Promise<void>): Access<Provided, Needed>;
  /** The same access, which says what else it refuses: texts that its own checks throw. */
  refusing(refuses: Refusals): Access<Provided, Needed>;
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
export interface RecordDefinition<Provided, Name extends string, Row, P extends Parameters = {}> {
  readonly name: Name;
  /** The parameters that name it: endpoints with this record need not declare them. */
  readonly params?: P;
  readonly find: (call: AccessCall<ParameterValues<P>>, found: Provided) => Promise<Row | null> | Row | null;
  readonly missing: () => unknown;
  readonly allow?: (call: AccessCall, found: Provided & { readonly [K in Name]: Row }) => void | Promise<void>;
}

/**
 * A right that depends on what the body says, be it read late. What asks for it hands out something that cannot be had
 * otherwise, and what the right is for wants just that: nobody can forget to ask.
 */
interface LateRight<Provided, Name extends string, Question> {
  readonly name: Name;
  /** What api.txt says behind the label of the access. */
  readonly label: string;
  readonly question: (call: Pick<AccessCall, 'db'>, provided: Provided) => Question;
}

/** One way in, written down: everything but what can be made of it. */
export interface AccessDefinition<Found extends object, Needed extends Parameters = {}>
  extends Pick<Access<Found>, 'who' | 'label' | 'admit' | 'place' | 'deadToken'> {
  /** What it looks at itself, beside the path. */
  readonly params?: Needed;
  readonly find: (call: AccessCall) => Promise<Found>;
  readonly allow: (call: AccessCall, found: Found) => void | Promise<void>;
}

export function access<Found extends object, Needed extends Parameters = {}>(
  definition: AccessDefinition<Found, Needed>,
): Access<Found, Needed> {
  const { params = {} as Needed } = definition;
  return composed<Found, Found, Needed>({ ...definition, params, refuses: {}, provide: (found) => found });
}

type Parts<Found, Provided extends object, Needed extends Parameters> = Omit<
  Access<Provided, Needed>,
  'record' | 'map' | 'and' | 'late' | 'onDeadToken' | 'whereOffered' | 'refusing' | 'find' | 'allow' | 'provide'
> & {
  readonly find: (call: AccessCall) => Promise<Found>;
  readonly allow: (call: AccessCall, found: Found) => void | Promise<void>;
  readonly provide: (found: Found) => Provided;
};

function composed<Found, Provided extends object, Needed extends Parameters>(
  parts: Parts<Found, Provided, Needed>,
): Access<Provided, Needed> {
  return {
    ...parts,
    record: (<Name extends string, Row, P extends Parameters>(definition: RecordDefinition<Provided, Name, Row, P>) => {
      type Wider = Provided & { readonly [K in Name]: Row };
      return composed<Wider, Wider, Needed & P>({
        ...parts,
        params: { ...parts.params, ...definition.params } as Needed & P,
        async find(call) {
          const found = await parts.find(call);
          await parts.allow(call, found);
          const provided = parts.provide(found);
          const row = await definition.find(call as AccessCall<ParameterValues<P>>, provided);
          if (row === null) throw definition.missing();
          return { ...provided, [definition.name]: row } as Wider;
        },
        allow: (call, found) => definition.allow?.(call, found),
        provide: (found) => found,
      });
    }) as Access<Provided, Needed>['record'],
    map: (provide) => composed({ ...parts, provide: (found: Found) => provide(parts.provide(found)) }),
    and: (allow, label = parts.label) =>
      composed({
        ...parts,
        label,
        async allow(call, found) {
          await parts.allow(call, found);
          await allow(call, parts.provide(found));
        },
      }),
    late: (<Name extends string, Question>({ name, label, question }: LateRight<Provided, Name, Question>) =>
      composed({
        ...parts,
        label: `${parts.label} + ${label}`,
        find: async (call) => ({ call, found: await parts.find(call) }),
        allow: (call, { found }) => parts.allow(call, found),
        provide({ call, found }) {
          const provided = parts.provide(found);
          return { ...provided, [name]: question(call, provided) } as Provided & { readonly [K in Name]: Question };
        },
      })) as Access<Provided, Needed>['late'],
    onDeadToken: (deadToken) => composed({ ...parts, deadToken }),
    whereOffered: (offered) => composed({ ...parts, offered }),
    refusing: (refuses) => composed({ ...parts, refuses: { ...parts.refuses, ...refuses } }),
  };
}

const noCheck = () => {};

/** Anybody, with or without credentials. */
export function open(): Access<{ caller: Caller }> {
  return access({
    who: 'open',
    label: 'open',
    admit: noCheck,
    find: async ({ caller }) => ({ caller }),
    allow: noCheck,
  });
}

/** Any signed-in user. */
export function signedIn(): Access<{ caller: SignedInCaller }> {
  return access({
    who: 'user',
    label: 'user',
    admit: refuseAnonymous,
    find: async ({ caller }) => ({ caller: signedInCaller(caller) }),
    allow: noCheck,
  });
}

/** Administrators; a family that is theirs as a whole refuses others before it looks at parameters. */
export function administrator(): Access<{ caller: SignedInCaller }> {
  return access({
    who: 'admin',
    label: 'admin',
    admit(call) {
      refuseAnonymous(call);
      refuseOthers(call);
    },
    find: async ({ caller }) => ({ caller: signedInCaller(caller) }),
    allow: noCheck,
  });
}

/** An administrator's endpoint in a family of everybody's: parameters are checked first (contract/conventions.md §1 stage 8). */
export function administratorLate(): Access<{ caller: SignedInCaller }> {
  return access({
    who: 'admin',
    label: 'admin (late)',
    admit: refuseAnonymous,
    async find(call) {
      refuseOthers(call);
      return { caller: signedInCaller(call.caller) };
    },
    allow: noCheck,
  });
}

export function refuseAnonymous({ caller }: AccessCall): void {
  if (!isSignedIn(caller)) throw unauthorized();
}

function refuseOthers({ caller }: AccessCall): void {
  if (!isAdministrator(caller)) throw forbidden();
}

export function signedInCaller(caller: Caller): SignedInCaller {
  if (!isSignedIn(caller)) throw unauthorized();
  return caller;
}
