import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

/** The representation of an email address of a user (contract/activity.md Part 4). */
export const Email = entity('Email', {
  id: Type.Integer(),
  email: Type.String(),
  confirmed_at: nullable(dateTime),
}).columns();
