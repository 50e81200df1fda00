import { type TSchema, Type } from 'typebox';
import { mapText } from '#database/long-texts.ts';
import { requireRow } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import { parseJsonIncrementally } from '#http/request/incremental-json.ts';
import { pathOf } from './endpoint-path.ts';
import { examplesOf, type IntegrationInProject } from './store.ts';
import { openToken } from './tokens.ts';

const anyObject: TSchema = Type.Object({}, { additionalProperties: true });

/** Long examples are parsed when they are sent, one after another. */
async function beside(rows: readonly IntegrationInProject[], to: SerializationContext) {
  const texts = await examplesOf(
    to.db,
    rows.map(({ id }) => id),
  );
  const examples = new Map<number, unknown>();
  for (const [id, text] of texts) examples.set(id, text === null ? {} : await mapText(text, parseJsonIncrementally));
  return { key: await to.secretKey(), examples };
}

/** contract/monitoring.md §5 "Entity"; to Maintainers, who may read its token again. */
export const AlertIntegration = entity('AlertIntegration', {
  id: Type.Integer(),
  type: Type.Enum(['http', 'prometheus']),
  name: Type.String(),
  active: Type.Boolean(),
  endpoint_identifier: Type.String(),
  url: Type.String(),
  token: Type.String(),
  payload_example: anyObject,
  payload_attribute_mapping: anyObject,
  created_at: dateTime,
  updated_at: dateTime,
}).from(beside, (row: IntegrationInProject, to, { key, examples }) => ({
  id: row.id,
  type: row.type,
  name: row.name,
  active: row.active,
  endpoint_identifier: row.endpoint_identifier,
  url: `${to.url}/${row.full_path}/${pathOf(row)}`,
  token: openToken(key, row),
  payload_example: requireRow(examples.get(row.id)),
  payload_attribute_mapping: JSON.parse(row.payload_attribute_mapping),
  created_at: row.created_at,
  updated_at: row.updated_at,
}));

/** A value of a payload that a field of alerts may be read from. */
export const PayloadField = entity('AlertPayloadField', {
  path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  label: Type.String(),
  type: Type.Enum(['array', 'datetime', 'string', 'number']),
});
