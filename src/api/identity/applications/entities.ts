import { type Static, Type } from 'typebox';
import { shape } from '../../../http/endpoint/answers.ts';
import type { IssuedApplication, OAuthApplication } from '../../../identity/oauth-applications.ts';

/** The forms of an application (contract/conventions.md §10 "OAuth 2.0"). */

const fields = {
  id: Type.Integer(),
  application_id: Type.String(),
  application_name: Type.String(),
  callback_url: Type.String(),
  confidential: Type.Boolean(),
};

export const Application = shape('Application', fields);

/** The only answers that show the secret. */
export const ApplicationWithSecret = shape('ApplicationWithSecret', { ...fields, secret: Type.String() });

export function applications(rows: readonly OAuthApplication[]): Static<typeof Application>[] {
  return rows.map(values);
}

export function issuedApplication({ application, secret }: IssuedApplication): Static<typeof ApplicationWithSecret> {
  return { ...values(application), secret };
}

function values({ id, uid, name, redirect_uris, confidential }: OAuthApplication) {
  return { id, application_id: uid, application_name: name, callback_url: redirect_uris, confidential };
}
