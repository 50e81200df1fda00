import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Static, Type } from 'typebox';
import { day, moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import type { Base } from '../../../http/endpoint/base.ts';
import { entity, type ShapeOf, type Showing } from '../../../http/endpoint/entity.ts';
import type { User } from '../../../identity/users.ts';

/** The forms of a user (contract/conventions.md §10 "Users"). */

const basicFields = {
  id: Type.Integer(),
  username: Type.String(),
  public_email: nullable(Type.String()),
  name: Type.String(),
  state: Type.String(),
  locked: Type.Boolean(),
  avatar_url: Type.String(),
  web_url: Type.String(),
};
/** What every embedded user looks like. */
export const UserBasic = entity('UserBasic', basicFields).from((user: UserBasicRow, to) => ({
  id: user.id,
  username: user.username,
  public_email: user.public_email,
  name: user.name,
  state: user.state,
  locked: user.locked_until !== null && user.locked_until > to.now,
  avatar_url: avatarUrl(user.id, to),
  web_url: `${to.url}/${user.username}`,
}));

const profileFields = {
  bio: Type.String(),
  location: Type.String(),
  skype: Type.String(),
  linkedin: Type.String(),
  twitter: Type.String(),
  discord: Type.String(),
  website_url: Type.String(),
  github: Type.String(),
  job_title: nullable(Type.String()),
  pronouns: nullable(Type.String()),
  organization: Type.String(),
  bot: Type.Boolean(),
  work_information: nullable(Type.String()),
  local_time: nullable(Type.String()),
};
const visibleFields = {
  created_at: moment,
  followers: Type.Integer(),
  following: Type.Integer(),
  is_followed: Type.Boolean(),
};
export const UserExtended = shape('UserExtended', { ...basicFields, ...profileFields, ...visibleFields });
/** Extended, to callers who may not see the profile. */
export const UserHidden = shape('UserHidden', { ...basicFields, ...profileFields });

const UserIdentity = shape('UserIdentity', {
  provider: Type.String(),
  extern_uid: Type.String(),
  saml_provider_id: Type.Null(),
});
const selfFields = {
  last_sign_in_at: nullable(moment),
  confirmed_at: nullable(moment),
  last_activity_on: nullable(day),
  email: Type.String(),
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: nullable(moment),
  identities: Type.Array(UserIdentity),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: nullable(Type.String()),
  preferred_language: Type.String(),
  shared_runners_minutes_limit: Type.Null(),
  extra_shared_runners_minutes_limit: Type.Null(),
  scim_identities: Type.Array(Type.Never()),
};
export const UserSelf = shape('UserSelf', { ...UserExtended.properties, ...selfFields });

const adminFields = {
  is_admin: Type.Boolean(),
  note: nullable(Type.String()),
  namespace_id: nullable(Type.Integer()),
  created_by: nullable(UserBasic.schema),
  using_license_seat: Type.Boolean(),
  is_auditor: Type.Boolean(),
  provisioned_by_group_id: Type.Null(),
  enterprise_group_id: Type.Null(),
  enterprise_group_associated_at: Type.Null(),
};
export const UserAdmin = shape('UserAdmin', { ...UserSelf.properties, ...adminFields });

export const UserAdminDetail = shape('UserAdminDetail', {
  ...UserAdmin.properties,
  highest_role: Type.Integer(),
  current_sign_in_ip: nullable(Type.String()),
  last_sign_in_ip: nullable(Type.String()),
  sign_in_count: Type.Integer(),
  plan: Type.Null(),
  trial: Type.Null(),
});

/** The columns that the basic form is made of. */
export type UserBasicRow = Pick<User, 'id' | 'username' | 'name' | 'public_email' | 'state' | 'locked_until'>;

export function userBasic(users: readonly UserBasicRow[], base: Base): ShapeOf<typeof UserBasic>[] {
  return users.map((user) => basic(user, base));
}

export function userExtended(users: readonly User[], base: Base): Static<typeof UserExtended>[] {
  return users.map((user) => ({ ...hidden(user, base), ...visible(user) }));
}

export function userHidden(users: readonly User[], base: Base): Static<typeof UserHidden>[] {
  return users.map((user) => hidden(user, base));
}

/** A user with what other tables know of it. */
export interface UserWithFacts extends User {
  readonly identities: readonly { readonly provider: string; readonly extern_uid: string }[];
  readonly namespace_id: number | null;
  readonly personal_projects: number;
  readonly created_by: UserBasicRow | null;
}

export function userSelf(users: readonly UserWithFacts[], base: Base): Static<typeof UserSelf>[] {
  return users.map((user) => self(user, base));
}

export function userAdmin(users: readonly UserWithFacts[], base: Base): Static<typeof UserAdmin>[] {
  return users.map((user) => admin(user, base));
}

export function userAdminDetail(
  users: readonly (UserWithFacts & { readonly highest_role: number })[],
  base: Base,
): Static<typeof UserAdminDetail>[] {
  return users.map((user) => ({
    ...admin(user, base),
    highest_role: user.highest_role,
    current_sign_in_ip: user.current_sign_in_ip,
    last_sign_in_ip: user.last_sign_in_ip,
    sign_in_count: user.sign_in_count,
    plan: null,
    trial: null,
  }));
}

/** The address of the picture that Hearth draws: it tells nobody an e-mail address. */
export function avatarUrl(userId: number, base: Base): string {
  return `${base.url}/-/avatars/${avatarName(`${userId}\n${base.instance}`)}.svg`;
}

const avatarNames = new LRUCache<string, string>({ max: 10_000 });

function avatarName(seed: string): string {
  const known = avatarNames.get(seed);
  if (known !== undefined) return known;
  const name = hash('sha256', seed, 'hex').slice(0, 16);
  avatarNames.set(seed, name);
  return name;
}

const basic = (user: UserBasicRow, base: Base) => UserBasic.one(user, base as Showing);

function hidden(user: User, base: Base): Static<typeof UserHidden> {
  return {
    ...basic(user, base),
    bio: user.bio,
    location: user.location,
    skype: user.skype,
    linkedin: user.linkedin,
    twitter: user.twitter,
    discord: user.discord,
    website_url: user.website_url,
    github: user.github,
    job_title: user.job_title,
    pronouns: user.pronouns,
    organization: user.organization,
    bot: user.bot,
    work_information: workInformation(user),
    local_time: null,
  };
}

function workInformation({ job_title, organization }: User): string | null {
  if (job_title && organization) return `${job_title} at ${organization}`;
  return job_title || organization || null;
}

function visible({ created_at }: User) {
  return { created_at, followers: 0, following: 0, is_followed: false };
}

function self(user: UserWithFacts, base: Base): Static<typeof UserSelf> {
  return {
    ...hidden(user, base),
    ...visible(user),
    last_sign_in_at: user.last_sign_in_at,
    confirmed_at: user.confirmed_at,
    last_activity_on: user.last_activity_on,
    email: user.email,
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: user.current_sign_in_at,
    identities: user.identities.map(({ provider, extern_uid }) => ({ provider, extern_uid, saml_provider_id: null })),
    can_create_group: user.can_create_group,
    can_create_project: user.projects_limit > user.personal_projects,
    two_factor_enabled: false,
    external: user.external,
    private_profile: user.private_profile,
    commit_email: user.commit_email ?? user.email,
    preferred_language: user.preferred_language,
    shared_runners_minutes_limit: null,
    extra_shared_runners_minutes_limit: null,
    scim_identities: [],
  };
}

function admin(user: UserWithFacts, base: Base): Static<typeof UserAdmin> {
  return {
    ...self(user, base),
    is_admin: user.admin,
    note: user.note,
    namespace_id: user.namespace_id,
    created_by: user.created_by && basic(user.created_by, base),
    using_license_seat: user.state === 'active' && !user.bot && !user.internal,
    is_auditor: user.auditor,
    provisioned_by_group_id: null,
    enterprise_group_id: null,
    enterprise_group_associated_at: null,
  };
}
