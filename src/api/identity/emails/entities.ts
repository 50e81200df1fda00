import { Type } from 'typebox';
import { moment, nullable } from '../../../http/endpoint/answers.ts';
import { entity } from '../../../http/endpoint/entity.ts';
import type { Email as EmailRow } from '../../../identity/emails.ts';

/** The form of an e-mail address of a user (contract/activity.md Part 4). */
export const Email = entity('Email', {
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: nullable(moment),
}).from(({ id, email, confirmed_at }: EmailRow) => ({ id, email, confirmed_at }));
