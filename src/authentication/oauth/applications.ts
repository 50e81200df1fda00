import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { generateHexToken, hashToken, secretsEqual } from '#security/tokens.ts';

// Applications that users authorize (contract/conventions.md §10 "OAuth 2.0").

/** An application without the digest of its secret. */
export type OAuthApplication = Omit<Selectable<Schema['oauth_applications']>, 'secret_digest'>;

/** An application with its new secret in clear text; only the digest is stored. */
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
const selectApplicationByUid = prepare((db, value: Params<{ uid: string }>) =>
  db
    .selectFrom('oauth_applications')
    .select([...applicationColumns, 'oauth_applications.secret_digest'])
    .where('uid', '=', value('uid')),
);

/** Returns the application with this `client_id`, or null. */
export async function findApplication(db: Reader, uid: string): Promise<OAuthApplication | null> {
  const row = await selectApplicationByUid.first(db, { uid });
  if (row === undefined) return null;
  const { secret_digest: _, ...application } = row;
  return application;
}

/** Returns whether the application still exists: it may have been deleted since it authenticated. */
export async function applicationExists(tx: Transaction, id: number): Promise<boolean> {
  // index: oauth_applications primary key
  const row = await tx.selectFrom('oauth_applications').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Credentials of an OAuth client: `client_id` and `client_secret`; a public application may omit the secret. */
export interface ClientCredentials {
  readonly uid: string;
  readonly secret: string | null;
}

/**
 * Returns the application with these credentials. A confidential application needs its secret. The `client_id` of a
 * public one suffices, but a wrong secret is rejected.
 */
export async function authenticateClient(
  db: Reader,
  { uid, secret }: ClientCredentials,
): Promise<OAuthApplication | Failure<'invalidClient'>> {
  const row = await selectApplicationByUid.first(db, { uid });
  if (row === undefined) return fail('invalidClient');
  const { secret_digest, ...application } = row;
  const isAuthentic = secret === null ? !application.confidential : secretsEqual(hashToken(secret), secret_digest);
  return isAuthentic ? application : fail('invalidClient');
}

interface CreateApplicationInput {
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly scopes: readonly string[];
  readonly confidential: boolean;
}

const SECRET_PREFIX = 'gloas-';

const generateSecret = () => SECRET_PREFIX + generateHexToken();

/** Creates an application from validated input. */
export async function createApplication(tx: Transaction, input: CreateApplicationInput): Promise<IssuedApplication> {
  const secret = generateSecret();
  const application = await tx
    .insertInto('oauth_applications')
    .values({
      uid: generateHexToken(),
      secret_digest: hashToken(secret),
      name: input.name,
      redirect_uris: input.redirectUris.join('\n'),
      scopes: JSON.stringify([...new Set(input.scopes)]),
      confidential: input.confidential,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(applicationColumns)
    .executeTakeFirstOrThrow();
  return { application, secret };
}

/** Updates name and redirect URIs of an application from validated input. */
export async function updateApplication(
  tx: Transaction,
  id: number,
  { name, redirectUris }: Pick<CreateApplicationInput, 'name' | 'redirectUris'>,
): Promise<void> {
  await tx
    .updateTable('oauth_applications')
    .set({ name, redirect_uris: redirectUris.join('\n'), updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** Replaces the secret of an application; the old one becomes invalid. */
export async function resetApplicationSecret(
  tx: Transaction,
  id: number,
): Promise<IssuedApplication | Failure<'notFound'>> {
  const secret = generateSecret();
  const application = await tx
    .updateTable('oauth_applications')
    .set({ secret_digest: hashToken(secret), updated_at: tx.now })
    .where('id', '=', id)
    .returning(applicationColumns)
    .executeTakeFirst();
  return application === undefined ? fail('notFound') : { application, secret };
}

/** Deletes an application with its codes and tokens. */
export async function deleteApplication(tx: Transaction, id: number): Promise<Failure<'notFound'> | undefined> {
  const { numDeletedRows } = await tx.deleteFrom('oauth_applications').where('id', '=', id).executeTakeFirstOrThrow();
  return numDeletedRows === 0n ? fail('notFound') : undefined;
}

/** Returns the registered redirect URIs of an application. */
export function parseRedirectUris({ redirect_uris }: OAuthApplication): string[] {
  return redirect_uris.split('\n').filter((uri) => uri !== '');
}

export function parseScopes({ scopes }: { readonly scopes: string }): string[] {
  return JSON.parse(scopes) as string[];
}
