import type { Reader } from '../../database/database.ts';
import type { Caller, SignedIn } from '../../identity/caller.ts';
import { isAdministrator, isSignedIn } from '../../identity/caller.ts';
import type { DeadToken } from '../../identity/credentials.ts';
import { forbidden, unauthorized } from '../endpoint/refusal.ts';
import type { Rooms } from '../endpoint/rooms.ts';
import type { Incoming } from '../serving/incoming.ts';

/**
 * Who may call an endpoint, as the value that enforces it: it refuses anonymous callers, loads what the path names,
 * asks for the ability, and types what the handler gets. Handlers never authorize.
 */
export interface Access<Provided extends object> {
  /** The column `auth` of the list of routes: open to the public, signed-in users, administrators, or another proof. */
  readonly who: 'open' | 'user' | 'admin' | 'key';
  /** One word or two for api.txt: `open`, `project:read_code`. */
  readonly label: string;
  /** The credentials stage: refuses callers whom nothing that the path names could let in. */
  readonly admit: (call: AccessCall) => void | Promise<void>;
  /** Told of a token that is refused as unknown, expired or revoked, before the caller is. */
  readonly deadToken?: (call: AccessCall, token: DeadToken) => Promise<void>;
  /** Loads what the path names, or answers 404. */
  readonly find: (call: AccessCall) => Promise<Provided>;
  /** May this caller do it to what was found? Answers 403 otherwise. */
  readonly allow: (call: AccessCall, found: Provided) => void | Promise<void>;
  /** Records below what has been found. */
  record<Name extends string, Row>(
    definition: RecordDefinition<Provided, Name, Row>,
  ): Access<Provided & { readonly [K in Name]: Row }>;
}

export interface AccessCall {
  readonly rooms: Rooms;
  readonly db: Reader;
  readonly caller: Caller;
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** Read parameters; empty in orders that find before they read. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly request: Incoming;
}

/** How a record below a project, group or user is loaded: null is answered with `missing()`. */
export interface RecordDefinition<Provided, Name extends string, Row> {
  readonly name: Name;
  readonly find: (call: AccessCall, found: Provided) => Promise<Row | null> | Row | null;
  readonly missing: () => unknown;
  readonly allow?: (call: AccessCall, found: Provided & { readonly [K in Name]: Row }) => void | Promise<void>;
}

export function access<Provided extends object>(value: Omit<Access<Provided>, 'record'>): Access<Provided> {
  return {
    ...value,
    record<Name extends string, Row>(definition: RecordDefinition<Provided, Name, Row>) {
      type Wider = Provided & { readonly [K in Name]: Row };
      return access<Wider>({
        ...value,
        label: value.label,
        async find(call) {
          const found = await value.find(call);
          await value.allow(call, found);
          const row = await definition.find(call, found);
          if (row === null) throw definition.missing();
          return { ...found, [definition.name]: row } as Wider;
        },
        allow: (call, found) => definition.allow?.(call, found),
      });
    },
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
export function signedIn(): Access<{ caller: SignedIn }> {
  return access({
    who: 'user',
    label: 'user',
    admit: refuseAnonymous,
    find: async ({ caller }) => ({ caller: signedInCaller(caller) }),
    allow: noCheck,
  });
}

/** Administrators; a family that is theirs as a whole refuses others before it looks at parameters. */
export function administrator(): Access<{ caller: SignedIn }> {
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
export function administratorLate(): Access<{ caller: SignedIn }> {
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

export function signedInCaller(caller: Caller): SignedIn {
  if (!isSignedIn(caller)) throw unauthorized();
  return caller;
}
