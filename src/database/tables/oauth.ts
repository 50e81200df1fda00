import type { Generated } from 'kysely';

/** OAuth applications. The secret is not stored. */
export interface OAuthApplicationsTable {
  id: Generated<number>;
  /** What clients call `client_id`. Unique. */
  uid: string;
  /** Hexadecimal SHA-256 of the client's secret. */
  secret_digest: string;
  name: string;
  /** As they were given, white space between them. */
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
  /** null: not exchanged yet. */
  used_at: string | null;
  /** The token that it was exchanged for; null: none. */
  token_id: number | null;
}

/** Access tokens with their refresh tokens. The secrets are not stored. */
export interface OAuthTokensTable {
  id: Generated<number>;
  /** Hexadecimal SHA-256 of the access token; unique. */
  digest: string;
  /** The same of the refresh token; unique. null: it has none. */
  refresh_digest: string | null;
  /** null: of a password grant without a client. */
  application_id: number | null;
  /** null: of client credentials. */
  user_id: number | null;
  /** JSON array. */
  scopes: string;
  /** Seconds that the access token lives. The refresh token lives until it is used or revoked, or a year. */
  expires_in: number;
  created_at: string;
  /** The first of the tokens of which each came of the one before by its refresh token; null: this is the first. */
  family_id: number | null;
  /** From this time on, both tokens are revoked. */
  revoked_at: string | null;
}

export interface OAuthTables {
  oauth_applications: OAuthApplicationsTable;
  oauth_grants: OAuthGrantsTable;
  oauth_tokens: OAuthTokensTable;
}
