import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { OAuthApplicationsTable } from '#database/tables/oauth.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { digestToken, newHexToken, sameSecret } from '#security/tokens.ts';

// The programs that users let act for them (contract/conventions.md §10 "OAuth 2.0").

/** An application's row; what is kept of its secret stays behind. */
export type OAuthApplication = Omit<Selectable<OAuthApplicationsTable>, 'secret_digest'>;

/** The one time that an application's secret is known. */
export interface IssuedApplication {
  readonly application: OAuthApplication;
  readonly secret: string;
}

export const applicationColumns = [
  'oauth_applications.id',
  'oauth_applications.uid',
  'oauth_applications.name',
  'oauth_applications.redirect_uris',
  'oauth_applications.scopes',
  'oauth_applications.confidential',
  'oauth_applications.created_at',
  'oauth_applications.updated_at',
] as const;

// index: oauth_applications_by_uid
const applicationByUid = prepare((db, value: Params<{ uid: string }>) =>
  db
    .selectFrom('oauth_applications')
    .select([...applicationColumns, 'oauth_applications.secret_digest'])
    .where('uid', '=', value('uid')),
);

/** The application with this `client_id`. */
export async function findApplication(db: Reader, uid: string): Promise<OAuthApplication | null> {
  const row = await applicationByUid.first(db, { uid });
  if (row === undefined) return null;
  const { secret_digest: _, ...application } = row;
  return application;
}

/**
 * Is this application still there? It has proven itself before the transaction that wants to give it something, and may
 * have been removed since.
 */
export async function isRegistered(tx: Transaction, id: number): Promise<boolean> {
  // index: oauth_applications primary key
  const row = await tx.selectFrom('oauth_applications').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** What a client shows to prove that it is an application. */
export interface ClientCredentials {
  readonly uid: string;
  readonly secret: string | null;
}

/**
 * The application that these credentials prove. A confidential one needs its secret; a public one has none to keep, so its
 * `client_id` alone will do, but a wrong secret is refused there too.
 */
export async function authenticateClient(
  db: Reader,
  { uid, secret }: ClientCredentials,
): Promise<OAuthApplication | Failure<'invalidClient'>> {
  const row = await applicationByUid.first(db, { uid });
  if (row === undefined) return fail('invalidClient');
  const { secret_digest, ...application } = row;
  const proven = secret === null ? !application.confidential : sameSecret(digestToken(secret), secret_digest);
  return proven ? application : fail('invalidClient');
}

interface NewApplication {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly confidential: boolean;
}

const SECRET_PREFIX = 'gloas-';

const newSecret = () => SECRET_PREFIX + newHexToken();

/** Registers an application. Its fields have been checked. */
export async function createApplication(tx: Transaction, given: NewApplication): Promise<IssuedApplication> {
  const secret = newSecret();
  const application = await tx
    .insertInto('oauth_applications')
    .values({
      uid: newHexToken(),
      secret_digest: digestToken(secret),
      name: given.name,
      redirect_uris: given.redirectUris.join('\n'),
      scopes: JSON.stringify([...new Set(given.scopes)]),
      confidential: given.confidential,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(applicationColumns)
    .executeTakeFirstOrThrow();
  return { application, secret };
}

/** Names an application anew, and says where it is answered. Its fields have been checked. */
export async function renameApplication(
  tx: Transaction,
  id: number,
  { name, redirectUris }: Pick<NewApplication, 'name' | 'redirectUris'>,
): Promise<void> {
  await tx
    .updateTable('oauth_applications')
    .set({ name, redirect_uris: redirectUris.join('\n'), updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** Gives an application another secret, the old one is worth nothing from then on. */
export async function renewSecret(tx: Transaction, id: number): Promise<IssuedApplication | Failure<'notFound'>> {
  const secret = newSecret();
  const application = await tx
    .updateTable('oauth_applications')
    .set({ secret_digest: digestToken(secret), updated_at: tx.now })
    .where('id', '=', id)
    .returning(applicationColumns)
    .executeTakeFirst();
  return application === undefined ? fail('notFound') : { application, secret };
}

/** Removes an application, its codes and its tokens. */
export async function deleteApplication(tx: Transaction, id: number): Promise<Failure<'notFound'> | undefined> {
  const { numDeletedRows } = await tx.deleteFrom('oauth_applications').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows === 0n ? fail('notFound') : undefined;
}

/** The addresses that an application may be answered at, as they were registered. */
export function redirectUrisOf({ redirect_uris }: OAuthApplication): string[] {
  return redirect_uris.split('\n').filter((uri) => uri !== '');
}

export function scopesOf({ scopes }: { readonly scopes: string }): string[] {
  return JSON.parse(scopes) as string[];
}
