import { type Static, Type } from 'typebox';
import { moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import type { Email as EmailRow } from '../../../identity/emails.ts';

/** The form of an e-mail address of a user (contract/activity.md Part 4). */
export const Email = shape('Email', {
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: nullable(moment),
});

export function emailEntity({ id, email, confirmed_at }: EmailRow): Static<typeof Email> {
  return { id, email, confirmed_at };
}
