import { provenJobLate } from '../../../http/access/job-access.ts';
import { stream } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { isRefused } from '../../../refused.ts';
import { fields, upload } from './upload.ts';

export const uploadArtifacts = endpoint({
  post: '/jobs/:id/artifacts',
  summary: 'Keep a file that a running job leaves behind',
  access: provenJobLate(),
  order: 'ownProof',
  body: 'late',
  fields,
  refuses: {
    missing: [400, { error: 'file is missing' }],
    invalid: [400, { error: 'file is invalid' }],
    expiryInvalid: [400, { error: 'expire_in is invalid' }],
    wrongFormat: [400, 'Invalid file format with specified file type'],
    tooLarge: [413, 'file size has reached maximum size limit'],
    exists: [400, 'another artifact of the same type already exists'],
  },
  answer: stream,
  async handle({ request, given, prove }, rooms) {
    const kept = await upload(rooms, { request, given, prove });
    return isRefused(kept) ? kept : { status: 201, headers: {} };
  },
});
