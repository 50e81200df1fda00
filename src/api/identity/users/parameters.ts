import { keptAddress } from '#authentication/users/emails.ts';
import type { Identity, UserDetails } from '#authentication/users/users.ts';
import type { KeysetRule } from '#http/lists/pagination.ts';
import { optional, type ParameterValues, required } from '#http/parameters/declarations.ts';
import { description, expression, ruledText, string, title } from '#http/parameters/texts.ts';
import { absentIfBlank, boolean, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import type { UserWish } from './create.ts';
import { withoutTags } from './strip-tags.ts';
import type { UserUpdate } from './update.ts';

const ORDERS = ['id', 'name', 'username', 'created_at', 'updated_at'] as const;
export type UserOrder = (typeof ORDERS)[number];

/** Newest first unless asked otherwise, then every order in both directions. */
export const KEYSET: KeysetRule = {
  orders: ['id desc', ...ORDERS.flatMap((order) => [`${order} asc`, `${order} desc`] as const)],
  by: 'cursor',
};

/** What a list of users is narrowed to; false and absent ones ask for nothing. */
export const filters = {
  username: optional(string),
  search: optional(expression),
  public_email: optional(string),
  active: optional(boolean, false),
  blocked: optional(boolean, false),
  external: optional(boolean, false),
  humans: optional(boolean, false),
  exclude_external: optional(boolean, false),
  exclude_humans: optional(boolean, false),
  exclude_active: optional(boolean, false),
  exclude_internal: optional(boolean, false),
  without_project_bots: optional(boolean, false),
  extern_uid: optional(string),
  provider: optional(string),
  admins: optional(boolean, false),
  auditors: optional(boolean, false),
  two_factor: optional(string),
  without_projects: optional(boolean, false),
  created_after: optional(dateTime),
  created_before: optional(dateTime),
  order_by: optional(absentIfBlank(oneOf(...ORDERS))),
  sort: optional(oneOf('asc', 'desc')),
};

export type Filters = ParameterValues<typeof filters>;

const UNTAGGED_TEXTS = [
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

const details = {
  admin: optional(boolean),
  external: optional(boolean),
  can_create_group: optional(boolean),
  projects_limit: optional(integer),
  private_profile: optional(boolean),
  bio: optional(ruledText(255)),
  location: optional(ruledText(500)),
  public_email: optional(ruledText(255)),
  commit_email: optional(ruledText(255)),
  linkedin: optional(ruledText(500)),
  twitter: optional(ruledText(500)),
  skype: optional(ruledText(500)),
  discord: optional(ruledText(500)),
  github: optional(ruledText(500)),
  website_url: optional(ruledText(500)),
  organization: optional(ruledText(500)),
  job_title: optional(title),
  pronouns: optional(ruledText(50)),
  note: optional(description),
  theme_id: optional(integer),
  color_scheme_id: optional(integer),
  auditor: optional(boolean),
  extern_uid: optional(title),
  provider: optional(title),
};

type Details = ParameterValues<typeof details>;

export const creation = {
  email: required(ruledText(255)),
  name: required(ruledText(255)),
  username: required(ruledText(255)),
  password: optional(ruledText(128)),
  reset_password: optional(boolean),
  force_random_password: optional(boolean),
  skip_confirmation: optional(boolean, false),
  ...details,
};

export function wishOf(params: ParameterValues<typeof creation>): UserWish {
  const { email, name, username, force_random_password, skip_confirmation: confirmed } = params;
  const password = force_random_password ? null : (params.password ?? null);
  return {
    email: keptAddress(email),
    name,
    username,
    confirmed,
    password,
    details: detailsOf(params),
    identity: identityOf(params),
  };
}

export const changes = {
  email: optional(ruledText(255)),
  name: optional(ruledText(255)),
  username: optional(ruledText(255)),
  password: optional(ruledText(128)),
  skip_reconfirmation: optional(boolean, false),
  ...details,
};

export function updateOf(params: ParameterValues<typeof changes>): UserUpdate {
  const { email, skip_reconfirmation: confirmed } = params;
  return {
    email: typeof email === 'string' ? { address: keptAddress(email), confirmed } : undefined,
    name: params.name ?? undefined,
    username: params.username ?? undefined,
    password: params.password ?? undefined,
    usualPrivacy: params.private_profile === null,
    details: detailsOf(params),
    identity: identityOf(params),
  };
}

/** The columns that were named: an emptied text is `""` where it is always there, null where it may be absent. */
function detailsOf(params: Details): UserDetails {
  const named: Record<string, unknown> = {};
  if (params.bio !== undefined) named.bio = params.bio ?? '';
  for (const field of UNTAGGED_TEXTS) if (params[field] !== undefined) named[field] = withoutTags(params[field] ?? '');
  for (const field of ADDRESSES)
    if (params[field] !== undefined) named[field] = keptAddress(params[field] ?? '') || null;
  for (const field of CLEARABLE_TEXTS) if (params[field] !== undefined) named[field] = params[field] || null;
  for (const field of [...NUMBERS, ...FLAGS]) if (typeof params[field] !== 'object') named[field] = params[field];
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) as UserDetails;
}

export function identityOf({ provider, extern_uid }: Pick<Details, 'provider' | 'extern_uid'>): Identity | undefined {
  return provider && extern_uid ? { provider, externUid: extern_uid } : undefined;
}
