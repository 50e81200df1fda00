import { type ResourceModules, resourceModule } from '#http/endpoint/resource-module.ts';
import * as applications from './applications/endpoints.ts';
import * as avatars from './avatars/endpoints.ts';
import * as browserSessions from './browser-sessions/endpoints.ts';
import * as currentUser from './current-user/endpoints.ts';
import { customAttributes } from './custom-attributes/index.ts';
import * as emailConfirmations from './email-confirmations/endpoints.ts';
import * as emails from './emails/endpoints.ts';
import * as impersonationTokens from './impersonation-tokens/endpoints.ts';
import * as oauth from './oauth/endpoints.ts';
import * as passwords from './passwords/endpoints.ts';
import { personalAccessTokens } from './personal-access-tokens/index.ts';
import * as signIn from './sign-in/endpoints.ts';
import { users } from './users/index.ts';

/** Users, their email addresses and tokens, OAuth and web sign-in. */
export const identity: ResourceModules = {
  'custom-attributes': customAttributes,
  users,
  'current-user': resourceModule({ endpoints: currentUser }),
  'browser-sessions': resourceModule({ endpoints: browserSessions }),
  emails: resourceModule({ endpoints: emails }),
  'email-confirmations': resourceModule({ endpoints: emailConfirmations }),
  avatars: resourceModule({ endpoints: avatars }),
  'personal-access-tokens': personalAccessTokens,
  'impersonation-tokens': resourceModule({ endpoints: impersonationTokens }),
  applications: resourceModule({ endpoints: applications }),
  oauth: resourceModule({ endpoints: oauth }),
  'sign-in': resourceModule({ endpoints: signIn }),
  passwords: resourceModule({ endpoints: passwords }),
};
