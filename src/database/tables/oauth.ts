import type { Generated } from 'kysely';

/** OAuth applications. The secret is not stored. */
export interface OAuthApplicationsTable {
  id: Generated<number>;
  /** The `client_id` of the OAuth protocol; unique. */
  uid: string;
  /** Hexadecimal SHA-256 of the client's secret. */
  secret_digest: string;
  name: string;
  /** Redirect URIs as requested, separated by white space. */
  redirect_uris: string;
  /** JSON array. */
  scopes: string;
  /** Whether the application is confidential and must authenticate. */
  confidential: boolean;
  created_at: string;
  updated_at: string;
}

/** Authorization codes. */
export interface OAuthGrantsTable {
  id: Generated<number>;
  /** Hexadecimal SHA-256 of the code; unique. */
  digest: string;
  application_id: number;
  user_id: number;
  /** JSON array. */
  scopes: string;
  redirect_uri: string;
  /** PKCE challenge; null: none was sent. */
  challenge: string | null;
  challenge_method: 'S256' | 'plain' | null;
  created_at: string;
  expires_at: string;
  /** Null: not exchanged yet. */
  used_at: string | null;
  /** The token for which the code was exchanged; null: none. */
  token_id: number | null;
}

/** Access tokens with their refresh tokens. The secrets are not stored. */
export interface OAuthTokensTable {
  id: Generated<number>;
  /** Hexadecimal SHA-256 of the access token; unique. */
  digest: string;
  /** Hexadecimal SHA-256 of the refresh token; unique. Null: no refresh token. */
  refresh_digest: string | null;
  /** Null for a password grant without a client. */
  application_id: number | null;
  /** Null for client credentials. */
  user_id: number | null;
  /** JSON array. */
  scopes: string;
  /** Lifetime of the access token in seconds. The refresh token is valid until it is used or revoked, at most a year. */
  expires_in: number;
  created_at: string;
  /** The first token of the family: tokens that were issued one after another by refresh. Null: this is the first token. */
  family_id: number | null;
  /** Time from which both tokens are revoked; null: not revoked. */
  revoked_at: string | null;
}

export interface OAuthTables {
  oauth_applications: OAuthApplicationsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_tokens: OAuthTokensTable;
}
