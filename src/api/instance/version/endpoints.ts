import { signedIn } from '../../../http/access/access.ts';
import { entity } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { instanceVersion, Version } from './version.ts';

export const readVersion = endpoint({
  get: '/version',
  summary: 'The level of the API that clients may rely on',
  access: signedIn(),
  scopes: ['read_user'],
  answer: entity(Version),
  handle: instanceVersion,
});

export const readMetadata = endpoint({
  get: '/metadata',
  summary: 'The same as the version',
  access: signedIn(),
  scopes: ['read_user'],
  answer: entity(Version),
  handle: instanceVersion,
});
