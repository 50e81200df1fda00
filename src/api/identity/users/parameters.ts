import { normalizeAddress } from '#authentication/users/emails.ts';
import type { Identity, UserDetails } from '#authentication/users/users.ts';
import type { KeysetRule } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, searchExpression, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, dateTime, integer, oneOf, unsupportedPicture } from '#http/parameters/types.ts';
import { customAttributeParams } from '../custom-attributes/index.ts';
import type { NewUserInput, UserUpdateInput } from './changes.ts';

const ORDER_COLUMNS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const;
export type UserOrderColumn = (typeof ORDER_COLUMNS)[number];

/** Keyset orders of user lists: by id descending by default, or by any column in both directions. */
export const USER_KEYSET: KeysetRule = {
  orders: ['id desc', ...ORDER_COLUMNS.flatMap((order) => [`${order} asc`, `${order} desc`] as const)],
  cursorKind: 'opaque',
};

const FOR_ADMINISTRATORS = 'Ignored unless an administrator calls.';

/** Filters and order of user lists. A filter that is false or absent has no effect. */
export const userListParams = {
  username: describe(optional(shortText), 'The whole username, ignoring case.'),
  search: describe(
    optional(searchExpression),
    'Part of the name or username, or the whole public email address. Fewer than three characters must match exactly.',
  ),
  public_email: describe(optional(shortText), 'The whole public email address.'),
  active: describe(optional(boolean, false), 'Only active users.'),
  blocked: describe(optional(boolean, false), 'Only blocked users, which only administrators see.'),
  external: describe(optional(boolean, false), 'Only external users.'),
  humans: describe(optional(boolean, false), 'Only users who are neither bots nor internal.'),
  exclude_external: describe(optional(boolean, false), 'Only users who are not external.'),
  exclude_humans: describe(optional(boolean, false), 'Only bots and internal users.'),
  exclude_active: describe(optional(boolean, false), 'Only users who are not active.'),
  exclude_internal: describe(optional(boolean, false), 'Only users who are not internal.'),
  without_project_bots: describe(optional(boolean, false), 'Leaves out the bots of project and group access tokens.'),
  extern_uid: describe(optional(shortText), 'Id of the user at `provider`; for administrators only.'),
  provider: describe(optional(shortText), 'External identity provider; requires `extern_uid`.'),
  admins: describe(optional(boolean, false), `Only administrators. ${FOR_ADMINISTRATORS}`),
  auditors: describe(optional(boolean, false), `Only auditors. ${FOR_ADMINISTRATORS}`),
  two_factor: describe(
    optional(string),
    `\`enabled\` returns no users, because two-factor authentication is not supported. ${FOR_ADMINISTRATORS}`,
  ),
  without_projects: describe(
    optional(boolean, false),
    `Only users without projects, in their namespace and by membership. ${FOR_ADMINISTRATORS}`,
  ),
  created_after: describe(optional(dateTime), `Only users who were created then or later. ${FOR_ADMINISTRATORS}`),
  created_before: describe(optional(dateTime), `Only users who were created then or earlier. ${FOR_ADMINISTRATORS}`),
  order_by: describe(
    optional(absentIfBlank(oneOf(...ORDER_COLUMNS))),
    'If absent, the order is by id, after exact matches of `search`.',
  ),
  sort: describe(optional(oneOf('asc', 'desc')), 'If absent, the direction is `desc`.'),
  ...customAttributeParams,
};

export type UserListParams = ParameterValues<typeof userListParams>;

/** Profile texts from which HTML tags are removed. */
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
/** Email addresses, which are normalized. */
const ADDRESSES = ['public_email', 'commit_email'] as const;
/** Texts in nullable columns. */
const CLEARABLE_TEXTS = ['pronouns', 'job_title', 'note'] as const;
const NUMBERS = ['projects_limit', 'theme_id', 'color_scheme_id'] as const;
const FLAGS = ['admin', 'external', 'auditor', 'can_create_group', 'private_profile'] as const;

const detailParams = {
  admin: describe(optional(boolean), 'Whether the user is an administrator.'),
  external: describe(optional(boolean), 'Whether the user is external; external users cannot create top-level groups.'),
  can_create_group: describe(optional(boolean), 'Whether the user can create top-level groups.'),
  projects_limit: describe(optional(integer), 'Maximum number of projects in the personal namespace.'),
  private_profile: describe(optional(boolean), 'Whether only the user and administrators see the profile.'),
  bio: optional(domainValidatedText(255)),
  location: optional(domainValidatedText(500)),
  public_email: describe(optional(domainValidatedText(255)), 'Email address that the profile shows.'),
  commit_email: describe(optional(domainValidatedText(255)), 'Author address of commits that the API creates.'),
  linkedin: optional(domainValidatedText(500)),
  twitter: optional(domainValidatedText(500)),
  skype: optional(domainValidatedText(500)),
  discord: optional(domainValidatedText(500)),
  github: optional(domainValidatedText(500)),
  website_url: optional(domainValidatedText(500)),
  organization: optional(domainValidatedText(500)),
  job_title: optional(shortText),
  pronouns: optional(domainValidatedText(50)),
  note: describe(optional(longText), 'Text that only administrators see.'),
  theme_id: optional(integer),
  color_scheme_id: optional(integer),
  auditor: optional(boolean),
  extern_uid: describe(optional(shortText), 'Id of the user at `provider`.'),
  provider: describe(optional(shortText), 'External identity provider; requires `extern_uid`.'),
};

type DetailParams = ParameterValues<typeof detailParams>;

export const createUserParams = {
  email: required(domainValidatedText(255)),
  name: required(domainValidatedText(255)),
  username: required(domainValidatedText(255)),
  // Clients send an empty password together with `reset_password`, which takes precedence over any password.
  password: optional(absentIfBlank(domainValidatedText(128))),
  reset_password: optional(boolean),
  force_random_password: describe(optional(boolean), 'Sets a random password that nobody knows.'),
  skip_confirmation: describe(optional(boolean, false), 'Confirms the email address immediately.'),
  avatar: optional(unsupportedPicture),
  ...detailParams,
};

/** Converts the parameters of creation to the input of the domain. */
export function toCreateInput(params: ParameterValues<typeof createUserParams>): NewUserInput {
  const { email, name, username, reset_password, force_random_password, skip_confirmation: confirmed } = params;
  const password = reset_password || force_random_password ? null : (params.password ?? null);
  return {
    email: normalizeAddress(email),
    name,
    username,
    confirmed,
    password,
    hasPasswordLink: reset_password === true,
    details: toDetails(params),
    identity: toIdentity(params),
  };
}

export const updateUserParams = {
  email: optional(domainValidatedText(255)),
  name: optional(domainValidatedText(255)),
  username: optional(domainValidatedText(255)),
  password: optional(domainValidatedText(128)),
  skip_reconfirmation: describe(optional(boolean, false), 'Confirms a new email address immediately.'),
  avatar: optional(unsupportedPicture),
  ...detailParams,
};

/** Converts the parameters of an update to the input of the domain. */
export function toUpdateInput(params: Partial<ParameterValues<typeof updateUserParams>>): UserUpdateInput {
  const { email, skip_reconfirmation: confirmed = false } = params;
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
function toDetails(params: Partial<DetailParams>): UserDetails {
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

/** Returns the external identity among the parameters, or undefined. */
export function toIdentity({
  provider,
  extern_uid,
}: Partial<Pick<DetailParams, 'provider' | 'extern_uid'>>): Identity | undefined {
  return provider && extern_uid ? { provider, externUid: extern_uid } : undefined;
}

/** An HTML tag, comment or declaration. A match ends before another tag begins. */
const TAG = /<[a-z/!?][^<>]*>/gi;

/** Removes HTML tags, also those that only the removal of another tag creates (`<<b>script>`). */
export function stripTags(text: string): string {
  const stripped = text.replace(TAG, '');
  return stripped === text ? text : stripTags(stripped);
}
