/** The caller of a request: at most one user, identified by at most one token. */
import type { Columns } from '#database/database.ts';
import type { UserState } from '#database/schema.ts';
import { type Clock, timestamp } from '#runtime/clock.ts';

export type { UserState } from '#database/schema.ts';

/** The properties of its user that every request needs; the whole row is loaded where it is serialized. */
export type CallerUser = Columns<
  'users',
  'id' | 'username' | 'name' | 'email' | 'state' | 'admin' | 'bot' | 'external'
>;

/** Returns the properties of the caller's user from a row that may have more columns. */
export function toCallerUser({ id, username, name, email, state, admin, bot, external }: CallerUser): CallerUser {
  return { id, username, name, email, state, admin, bot, external };
}

/** The token that identified the caller. */
interface CallerToken {
  /** `access_token`: a personal, project, group or impersonation token. Each kind has its own ids. */
  readonly kind: 'access_token' | 'oauth' | 'job';
  /** For a job token, the id of the job. */
  readonly id: number;
  readonly scopes: readonly string[];
  readonly impersonation: boolean;
}

/** A running job. Its token acts as the job's user within the job's project. */
export interface CallerJob {
  readonly id: number;
  readonly projectId: number;
  /** The project's full path. */
  readonly projectPath: string;
}

/** An authenticated replication site. It has no user and may only use endpoints that allow sites. */
export interface CallerSite {
  readonly id: number;
  /** A disabled site may only read its own settings (`GET /geo/site`). */
  readonly enabled: boolean;
  /** The signed claims of the request. */
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The identity of a request. Without user, token, session and site it is anonymous. */
export interface Caller {
  readonly user: CallerUser | null;
  readonly token: CallerToken | null;
  /** Digest of the browser session, if it is the credential. */
  readonly sessionDigest?: string;
  /** The job whose token is the credential. */
  readonly job?: CallerJob;
  /** The replication site whose token is the credential; there is no user then. */
  readonly site?: CallerSite;
  /** The client's address, for audit events; null for background work. */
  readonly address: string | null;
}

export interface SignedInCaller extends Caller {
  readonly user: CallerUser;
}

export function isSignedIn(caller: Caller): caller is SignedInCaller {
  return caller.user !== null;
}

/**
 * Returns whether the caller has administrator rights. A job never has: the job of an administrator acts as Owner in
 * its own project.
 */
export function isAdministrator(caller: {
  readonly user: Pick<CallerUser, 'admin'> | null;
  readonly job?: object;
}): boolean {
  return caller.user?.admin === true && caller.job === undefined;
}

/** Returns the access token of the request; null for OAuth and job tokens, which have other ids, and for sessions. */
export function getAccessToken({ token }: Caller): CallerToken | null {
  return token?.kind === 'access_token' ? token : null;
}

/** The caller of a request without credentials; the address is added where it is known. */
export const ANONYMOUS: Caller = { user: null, token: null, address: null };

/** The columns of the user that identification reads together with the credential. */
export interface IdentifiedUser extends CallerUser, Columns<'users', 'password_expires_at' | 'last_activity_on'> {}

export const identifiedUserColumns = [
  'users.id',
  'users.username',
  'users.name',
  'users.email',
  'users.state',
  'users.admin',
  'users.bot',
  'users.external',
  'users.password_expires_at',
  'users.last_activity_on',
] as const;

/** Why an identified user is rejected: contract/conventions.md §7 "Refusals". */
export type SignInBlock = 'impersonation_off' | StateBlock | 'password_expired';
type StateBlock = 'blocked' | 'deactivated' | 'pending';

const BLOCK_BY_STATE: Readonly<Record<UserState, StateBlock | null>> = {
  active: null,
  blocked: 'blocked',
  banned: 'blocked',
  ldap_blocked: 'blocked',
  deactivated: 'deactivated',
  blocked_pending_approval: 'pending',
};

/** Returns the block that follows from the state of the account; null if it may sign in. */
export function getStateBlock({ state }: { readonly state: UserState }): StateBlock | null {
  return BLOCK_BY_STATE[state];
}

/** Returns why a user cannot sign in: the state of the account, or an expired password that someone else has set; or null. */
export function getSignInBlock(
  user: { readonly state: UserState; readonly password_expires_at: string | null },
  clock: Clock,
): StateBlock | 'password_expired' | null {
  const stateBlock = BLOCK_BY_STATE[user.state];
  if (stateBlock !== null) return stateBlock;
  const expiresAt = user.password_expires_at;
  return expiresAt !== null && expiresAt <= timestamp(clock) ? 'password_expired' : null;
}
