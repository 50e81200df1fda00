import { hash } from 'node:crypto';
import { Type } from 'typebox';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { User } from '#authentication/users/users.ts';
import { entity, type SerializationContext, variants } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import type { ServerContext } from '#http/request/incoming.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import {
  type CustomAttributesById,
  customAttributesField,
  loadRequestedCustomAttributes,
  pickCustomAttributes,
} from '../custom-attributes/index.ts';
import { BLOCKED_STATES, isLocked } from './states.ts';
import {
  type CurrentUserRow,
  loadHighestRoles,
  loadIdentitiesOfCurrentUsers,
  loadUserRelations,
  type UserBasicRow,
  type UserRelations,
} from './store.ts';

// The representations of a user, from the fewest to the most fields (contract/conventions.md §10 "Users").

const basicFields = {
  id: Type.Integer(),
  username: Type.String(),
  public_email: nullable(Type.String()),
  name: Type.String(),
  state: Type.String({ description: '`active`, `blocked`, `deactivated`, `banned` or another state.' }),
  locked: Type.Boolean({ description: 'Whether sign-in is locked for some minutes after too many wrong passwords.' }),
  avatar_url: Type.String(),
  web_url: Type.String(),
};
/** A user embedded in other entities. */
export const UserBasic = entity('UserBasic', basicFields)
  .columns('id', 'username', 'public_email', 'name', 'state')
  .from((user: UserBasicRow, context) => ({
    // Only locked users read `now`, because a response that depends on the time is not cached.
    locked: user.locked_until !== null && isLocked(user, context.now),
    avatar_url: buildAvatarUrl(user.id, context),
    web_url: `${context.url}/${user.username}`,
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
  work_information: nullable(Type.String({ description: 'Job title and organization in one text.' })),
  local_time: nullable(Type.String({ description: 'Always null.' })),
};
/** The extended representation for callers who may not see the profile. */
const UserHidden = entity('UserHidden', { ...basicFields, ...profileFields }).from((user: User, context) => ({
  ...UserBasic.serialize(user, context),
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
  work_information: buildWorkInformation(user),
  local_time: null,
}));

function buildWorkInformation({ job_title, organization }: User): string | null {
  if (job_title && organization) return `${job_title} at ${organization}`;
  return job_title || organization || null;
}

const UserExtended = entity('UserExtended', {
  ...basicFields,
  ...profileFields,
  created_at: dateTime,
  followers: Type.Integer({ description: 'Always 0, because users cannot follow each other.' }),
  following: Type.Integer({ description: 'Always 0.' }),
  is_followed: Type.Boolean({ description: 'Always false.' }),
}).from((user: User, context) => ({
  ...UserHidden.serialize(user, context),
  created_at: user.created_at,
  followers: 0,
  following: 0,
  is_followed: false,
}));

const UserIdentity = objectSchema('UserIdentity', {
  provider: Type.String(),
  extern_uid: Type.String(),
  saml_provider_id: Type.Null(),
});
const selfFields = {
  last_sign_in_at: nullable(dateTime),
  confirmed_at: nullable(dateTime),
  last_activity_on: nullable(date),
  email: Type.String(),
  theme_id: Type.Integer(),
  color_scheme_id: Type.Integer(),
  projects_limit: Type.Integer(),
  current_sign_in_at: nullable(dateTime),
  identities: Type.Array(UserIdentity),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: nullable(Type.String({ description: 'Author address of commits that the API creates.' })),
  preferred_language: Type.String(),
  shared_runners_minutes_limit: Type.Null(),
  extra_shared_runners_minutes_limit: Type.Null(),
  scim_identities: Type.Array(Type.Never()),
};
const UserSelf = entity('UserSelf', { ...UserExtended.schema.properties, ...selfFields }).from(
  (users: readonly CurrentUserRow[], context) => loadIdentitiesOfCurrentUsers(context.db, users),
  (user, context, identities) =>
    serializeSelf(user, context, { identities: identities.get(user.id), projectCount: user.personal_project_count }),
);

interface SelfRelations {
  readonly identities: readonly { readonly provider: string; readonly extern_uid: string }[] | undefined;
  /** Number of projects in the personal namespace. */
  readonly projectCount: number;
}

function serializeSelf(user: User, context: SerializationContext, { identities = [], projectCount }: SelfRelations) {
  return {
    ...UserExtended.serialize(user, context),
    last_sign_in_at: user.last_sign_in_at,
    confirmed_at: user.confirmed_at,
    last_activity_on: user.last_activity_on,
    email: user.email,
    theme_id: user.theme_id,
    color_scheme_id: user.color_scheme_id,
    projects_limit: user.projects_limit,
    current_sign_in_at: user.current_sign_in_at,
    identities: identities.map(({ provider, extern_uid }) => ({
      provider,
      extern_uid,
      saml_provider_id: null,
    })),
    can_create_group: user.can_create_group,
    can_create_project: user.projects_limit > projectCount,
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

const adminFields = {
  is_admin: Type.Boolean(),
  note: nullable(Type.String()),
  namespace_id: nullable(Type.Integer()),
  created_by: nullable(UserBasic.schema),
  using_license_seat: Type.Boolean({ description: 'Whether the user is an active person, not a bot.' }),
  is_auditor: Type.Boolean(),
  provisioned_by_group_id: Type.Null(),
  enterprise_group_id: Type.Null(),
  enterprise_group_associated_at: Type.Null(),
  ...customAttributesField,
};

interface AdminRelations extends UserRelations {
  /** Null unless requested. */
  readonly customAttributes: CustomAttributesById | null;
}

async function loadAdminRelations(users: readonly User[], context: SerializationContext): Promise<AdminRelations> {
  const [relations, customAttributes] = await Promise.all([
    loadUserRelations(context.db, users),
    loadRequestedCustomAttributes(context, 'user', users),
  ]);
  return { ...relations, customAttributes };
}

/** A user as administrators see them in lists and in responses to writes. */
export const UserAdmin = entity('UserAdmin', { ...UserSelf.schema.properties, ...adminFields }).from(
  loadAdminRelations,
  serializeForAdmin,
);

function serializeForAdmin(user: User, context: SerializationContext, relations: AdminRelations) {
  const creator = relations.creators.get(user.created_by_id ?? 0);
  const personalNamespace = relations.personalNamespaces.get(user.id);
  return {
    ...serializeSelf(user, context, {
      identities: relations.identities.get(user.id),
      projectCount: personalNamespace?.projects ?? 0,
    }),
    is_admin: user.admin,
    note: user.note,
    namespace_id: personalNamespace?.namespace_id ?? null,
    created_by: creator === undefined ? null : UserBasic.serialize(creator, context),
    using_license_seat: user.state === 'active' && !user.bot && !user.internal,
    is_auditor: user.auditor,
    provisioned_by_group_id: null,
    enterprise_group_id: null,
    enterprise_group_associated_at: null,
    ...pickCustomAttributes(relations.customAttributes, user.id),
  };
}

const UserAdminDetail = entity('UserAdminDetail', {
  ...UserAdmin.schema.properties,
  highest_role: Type.Integer({ description: 'Highest role in any group or project; 0 without one.' }),
  current_sign_in_ip: nullable(Type.String()),
  last_sign_in_ip: nullable(Type.String()),
  sign_in_count: Type.Integer(),
  plan: Type.Null(),
  trial: Type.Null(),
})
  .columns('current_sign_in_ip', 'last_sign_in_ip', 'sign_in_count')
  .from(
    async (users: readonly User[], context) => ({
      relations: await loadAdminRelations(users, context),
      roles: await loadHighestRoles(context.db, users),
    }),
    (user, context, { relations, roles }) => ({
      ...serializeForAdmin(user, context, relations),
      highest_role: roles.get(user.id) ?? 0,
      plan: null,
      trial: null,
    }),
  );

/** The current user. Administrators get the same fields of themselves as of other users. */
export const CurrentUser = variants([UserSelf, UserAdmin], ({ caller }) =>
  isAdministrator(caller) ? UserAdmin : UserSelf,
);

/** A user in a list. */
export const ListedUser = variants([UserBasic, UserAdmin], ({ caller }) =>
  isAdministrator(caller) ? UserAdmin : UserBasic,
);

/** A user with the fields that the caller may see. */
export const UserProfile = variants([UserExtended, UserHidden, UserAdminDetail], ({ caller }, user) => {
  if (isAdministrator(caller)) return UserAdminDetail;
  return isProfileVisibleTo(caller, user) ? UserExtended : UserHidden;
});

/** A user embedded in jobs: the extended representation, also for administrators. */
export const EmbeddedUser = variants([UserExtended, UserHidden], ({ caller }, user) =>
  isProfileVisibleTo(caller, user) ? UserExtended : UserHidden,
);

/** Returns whether the caller may see a profile. Only the user and administrators see private profiles and those of blocked users. */
export function isProfileVisibleTo(caller: Caller, { id, private_profile, state }: User): boolean {
  if (isAdministrator(caller) || caller.user?.id === id) return true;
  return !private_profile && !BLOCKED_STATES.includes(state);
}

/** Returns the URL of the generated avatar, which does not disclose the email address. */
export function buildAvatarUrl(userId: number, context: ServerContext): string {
  return `${context.url}/-/avatars/${getAvatarName(`${userId}\n${context.instanceName}`)}.svg`;
}

const avatarNames = createBoundedCache<string>(10_000);

/** Returns 16 hexadecimal digits that are derived from the seed, from a cache if possible. */
function getAvatarName(seed: string): string {
  const cachedName = avatarNames.get(seed);
  if (cachedName !== undefined) return cachedName;
  const name = hash('sha256', seed, 'hex').slice(0, 16);
  avatarNames.set(seed, name);
  return name;
}
