import { Type } from 'typebox';
import type { EnvironmentRow } from '#domain/environments.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';

// Fields of all variants of an environment (contract/environments.md "Environment object").

const text = Type.String();

export const environmentFields = {
  id: Type.Integer(),
  name: text,
  slug: text,
  external_url: nullable(text),
  created_at: dateTime,
  updated_at: dateTime,
};

export type EnvironmentBasicRow = Pick<EnvironmentRow, keyof typeof environmentFields>;

export const serializeEnvironmentFields = ({
  id,
  name,
  slug,
  external_url,
  created_at,
  updated_at,
}: EnvironmentBasicRow) => ({
  id,
  name,
  slug,
  external_url,
  created_at,
  updated_at,
});

/** An environment inside other entities. */
export const EnvironmentBasic = entity('EnvironmentBasic', environmentFields).from(serializeEnvironmentFields);
