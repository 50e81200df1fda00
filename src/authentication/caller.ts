/** Who is calling: at most one user, by at most one token. */

import type { UserState } from '#database/tables/authentication.ts';

export type { UserState } from '#database/tables/authentication.ts';

/** What every request needs to know of its user; the whole row is read where it is shown. */
export interface CallerUser {
  readonly id: number;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly state: UserState;
  readonly admin: boolean;
  readonly bot: boolean;
  readonly external: boolean;
}

export interface CallerToken {
  /** A personal, project, group or impersonation token, one of OAuth, or a job's: each kind has ids of its own. */
  readonly kind: 'access_token' | 'oauth' | 'job';
  /** Of a job's token: the job's. */
  readonly id: number;
  readonly scopes: readonly string[];
  readonly impersonation: boolean;
}

/** A job that runs. Its token acts as the job's user, within the job's project. */
export interface CallerJob {
  readonly id: number;
  readonly projectId: number;
  /** The project's full path. */
  readonly projectPath: string;
}

/** A replication site that has proven itself. Nobody's user: it may do what endpoints let sites do, and nothing else. */
export interface CallerSite {
  readonly id: number;
  /** One that is not may ask what is to become of it. */
  readonly enabled: boolean;
  /** What it has signed that it wants. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Caller {
  readonly user: CallerUser | null;
  readonly token: CallerToken | null;
  /** The digest of the browser's session that he is known by, where that is his credential. */
  readonly session?: string;
  /** The job whose token is his credential. */
  readonly job?: CallerJob;
  /** The replication site whose proof is the credential; there is no user then. */
  readonly site?: CallerSite;
  /** For audit events: the client's address; null for background work. */
  readonly address: string | null;
}

export interface SignedInCaller extends Caller {
  readonly user: CallerUser;
}

export function isSignedIn(caller: Caller): caller is SignedInCaller {
  return caller.user !== null;
}

/** A job is nobody's administrator, whoever has started it: in its own project it has the rights of an Owner in his place. */
export function isAdministrator(caller: {
  readonly user: Pick<CallerUser, 'admin'> | null;
  readonly job?: object;
}): boolean {
  return caller.user?.admin === true && caller.job === undefined;
}

/** The access token that the request came with: not an OAuth token, whose ids are others, and not a session. */
export function accessTokenOf({ token }: Caller): CallerToken | null {
  return token?.kind === 'access_token' ? token : null;
}

/** A request without credentials, before its address is known. */
export const ANONYMOUS: Caller = { user: null, token: null, address: null };
