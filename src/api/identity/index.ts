import type { ResourceModules } from '#http/endpoint/resource-module.ts';
import { applications } from './applications/index.ts';
import { avatars } from './avatars/index.ts';
import { customAttributes } from './custom-attributes/index.ts';
import { emails } from './emails/index.ts';
import { impersonationTokens } from './impersonation-tokens/index.ts';
import { oauth } from './oauth/index.ts';
import { personalAccessTokens } from './personal-access-tokens/index.ts';
import { signIn } from './sign-in/index.ts';
import { users } from './users/index.ts';

/** Users, their email addresses and tokens, OAuth and web sign-in. */
export const identity: ResourceModules = {
  'custom-attributes': customAttributes,
  users,
  emails,
  avatars,
  'personal-access-tokens': personalAccessTokens,
  'impersonation-tokens': impersonationTokens,
  applications,
  oauth,
  'sign-in': signIn,
};
