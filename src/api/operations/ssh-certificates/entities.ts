import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import type { Certificate } from './store.ts';

/** contract/operations.md §4. */
export const SshCertificate = entity('SshCertificate', {
  id: Type.Integer(),
  title: Type.String(),
  /** The key as sent by the client. */
  key: Type.String(),
  created_at: dateTime,
}).from((certificate: Certificate) => certificate);
