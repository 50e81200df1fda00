import { normalizeAddress } from '#authentication/users/emails.ts';
import type { Identity, UserDetails } from '#authentication/users/users.ts';
import type { KeysetRule } from '#http/lists/pagination.ts';
import { optional, type ParameterValues, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, searchExpression, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, dateTime, emptyPicture, integer, oneOf } from '#http/parameters/types.ts';
import { customAttributeParams } from '../custom-attributes/index.ts';
import type { NewUserInput, UserUpdateInput } from './changes.ts';

const ORDER_COLUMNS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const;
export type UserOrderColumn = (typeof ORDER_COLUMNS)[number];

/** Keyset orders of user lists: by id descending by default, or by any column in both directions. */
export const USER_KEYSET: KeysetRule = {
  orders: ['id desc', ...ORDER_COLUMNS.flatMap((order) => [`${order} asc`, `${order} desc`] as const)],
  cursorKind: 'opaque',
};

/** Filters and order of user lists. A filter that is false or absent has no effect. */
export const userListParams = {
  username: optional(shortText),
  search: optional(searchExpression),
  public_email: optional(shortText),
  active: optional(boolean, false),
  blocked: optional(boolean, false),
  external: optional(boolean, false),
  humans: optional(boolean, false),
  exclude_external: optional(boolean, false),
  exclude_humans: optional(boolean, false),
  exclude_active: optional(boolean, false),
  exclude_internal: optional(boolean, false),
  without_project_bots: optional(boolean, false),
  extern_uid: optional(shortText),
  provider: optional(shortText),
  admins: optional(boolean, false),
  auditors: optional(boolean, false),
  two_factor: optional(string),
  without_projects: optional(boolean, false),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  order_by: optional(absentIfBlank(oneOf(...ORDER_COLUMNS))),
  sort: optional(oneOf('asc', 'desc')),
  ...customAttributeParams,
};

export type UserListParams = ParameterValues<typeof userListParams>;

const STRIPPED_TEXTS = [
  'location',
  'linkedin',
  'twitter',
  'skype',
  'discord',
  'github',
  'website_url',
  'organization',
] as const;
const ADDRESSES = ['public_email', 'commit_email'] as const;
const CLEARABLE_TEXTS = ['pronouns', 'job_title', 'note'] as const;
const NUMBERS = ['projects_limit', 'theme_id', 'color_scheme_id'] as const;
const FLAGS = ['admin', 'external', 'auditor', 'can_create_group', 'private_profile'] as const;

const detailParams = {
  admin: optional(boolean),
  external: optional(boolean),
  can_create_group: optional(boolean),
  projects_limit: optional(integer),
  private_profile: optional(boolean),
  bio: optional(domainValidatedText(255)),
  location: optional(domainValidatedText(500)),
  public_email: optional(domainValidatedText(255)),
  commit_email: optional(domainValidatedText(255)),
  linkedin: optional(domainValidatedText(500)),
  twitter: optional(domainValidatedText(500)),
  skype: optional(domainValidatedText(500)),
  discord: optional(domainValidatedText(500)),
  github: optional(domainValidatedText(500)),
  website_url: optional(domainValidatedText(500)),
  organization: optional(domainValidatedText(500)),
  job_title: optional(shortText),
  pronouns: optional(domainValidatedText(50)),
  note: optional(longText),
  theme_id: optional(integer),
  color_scheme_id: optional(integer),
  auditor: optional(boolean),
  extern_uid: optional(shortText),
  provider: optional(shortText),
};

type DetailParams = ParameterValues<typeof detailParams>;

export const createUserParams = {
  email: required(domainValidatedText(255)),
  name: required(domainValidatedText(255)),
  username: required(domainValidatedText(255)),
  // Clients send an empty password together with `reset_password`.
  password: optional(absentIfBlank(domainValidatedText(128))),
  reset_password: optional(boolean),
  force_random_password: optional(boolean),
  skip_confirmation: optional(boolean, false),
  avatar: optional(emptyPicture),
  ...detailParams,
};

export function toCreateInput(params: ParameterValues<typeof createUserParams>): NewUserInput {
  const { email, name, username, force_random_password, skip_confirmation: confirmed } = params;
  const password = force_random_password ? null : (params.password ?? null);
  return {
    email: normalizeAddress(email),
    name,
    username,
    confirmed,
    password,
    details: toDetails(params),
    identity: toIdentity(params),
  };
}

export const updateUserParams = {
  email: optional(domainValidatedText(255)),
  name: optional(domainValidatedText(255)),
  username: optional(domainValidatedText(255)),
  password: optional(domainValidatedText(128)),
  skip_reconfirmation: optional(boolean, false),
  avatar: optional(emptyPicture),
  ...detailParams,
};

export function toUpdateInput(params: ParameterValues<typeof updateUserParams>): UserUpdateInput {
  const { email, skip_reconfirmation: confirmed } = params;
  return {
    email: typeof email === 'string' ? { address: normalizeAddress(email), confirmed } : undefined,
    name: params.name ?? undefined,
    username: params.username ?? undefined,
    password: params.password ?? undefined,
    resetPrivateProfile: params.private_profile === null,
    details: toDetails(params),
    identity: toIdentity(params),
  };
}

/**
 * Returns the columns to set. A null or empty text becomes `''`, or null in nullable columns; null numbers and flags are
 * ignored.
 */
function toDetails(params: DetailParams): UserDetails {
  const attributes: Record<string, unknown> = {};
  if (params.bio !== undefined) attributes.bio = params.bio ?? '';
  for (const field of STRIPPED_TEXTS)
    if (params[field] !== undefined) attributes[field] = stripTags(params[field] ?? '');
  for (const field of ADDRESSES)
    if (params[field] !== undefined) attributes[field] = normalizeAddress(params[field] ?? '') || null;
  for (const field of CLEARABLE_TEXTS) if (params[field] !== undefined) attributes[field] = params[field] || null;
  for (const field of [...NUMBERS, ...FLAGS]) if (typeof params[field] !== 'object') attributes[field] = params[field];
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as UserDetails;
}

export function toIdentity({
  provider,
  extern_uid,
}: Pick<DetailParams, 'provider' | 'extern_uid'>): Identity | undefined {
  return provider && extern_uid ? { provider, externUid: extern_uid } : undefined;
}

/** An HTML tag, comment or declaration. A match ends before another tag begins. */
const TAG = /<[a-z/!?][^<>]*>/gi;

/** Removes HTML tags, also those that appear only after others are removed. */
export function stripTags(text: string): string {
  const stripped = text.replace(TAG, '');
  return stripped === text ? text : stripTags(stripped);
}
