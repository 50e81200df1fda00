import { type TSchema, Type } from 'typebox';
import { mapLazyText } from '#database/long-texts.ts';
import type { AlertIntegrationType } from '#database/schema.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime } from '#http/endpoint/responses.ts';
import { parseJsonIncrementally } from '#http/request/incremental-json.ts';
import { requireRow } from '#runtime/failure.ts';
import { trimCharacters } from '#text/trim.ts';
import { decryptToken, type IntegrationInProject, loadPayloadExamples } from './store.ts';

const anyObject: TSchema = Type.Object({}, { additionalProperties: true });

/** Loads the encryption key and the examples. Long examples are parsed one at a time. */
async function loadIntegrationRelations(rows: readonly IntegrationInProject[], context: SerializationContext) {
  const texts = await loadPayloadExamples(
    context.db,
    rows.map(({ id }) => id),
  );
  const examples = new Map<number, unknown>();
  for (const [id, text] of texts)
    examples.set(id, text === null ? {} : await mapLazyText(text, parseJsonIncrementally));
  return { key: await context.secretKey(), examples };
}

/** An alert integration with its token, which Maintainers may read again (contract/monitoring.md §5 "Entity"). */
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
})
  .columns('id', 'type', 'name', 'active', 'endpoint_identifier', 'created_at', 'updated_at')
  .from(loadIntegrationRelations, (row: IntegrationInProject, context, { key, examples }) => ({
    url: `${context.url}/${row.full_path}/${buildIntegrationPath(row)}`,
    token: decryptToken(key, row),
    payload_example: requireRow(examples.get(row.id)),
    payload_attribute_mapping: JSON.parse(row.payload_attribute_mapping),
  }));

/** A value of a payload that an alert field may be mapped to. */
export const PayloadField = entity('AlertPayloadField', {
  path: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  label: Type.String(),
  type: Type.Enum(['array', 'datetime', 'string', 'number']),
});

// Builds the address of an integration (contract/monitoring.md §1, §5). Pure.

/** Endpoint identifiers of the legacy addresses, which contain none. */
export const LEGACY_ENDPOINTS = { http: 'legacy', prometheus: 'legacy-prometheus' } as const satisfies Record<
  AlertIntegrationType,
  string
>;

const MAX_SLUG_LENGTH = 63;

/** Returns the path of the integration below its project's path. The server ignores the name in it. */
function buildIntegrationPath({
  type,
  name,
  endpoint_identifier: endpoint,
}: {
  readonly type: AlertIntegrationType;
  readonly name: string;
  readonly endpoint_identifier: string;
}): string {
  if (endpoint === LEGACY_ENDPOINTS.http) return 'alerts/notify.json';
  if (endpoint === LEGACY_ENDPOINTS.prometheus) return 'prometheus/alerts/notify.json';
  return `alerts/notify/${toSlug(name) || `${type}-endpoint`}/${endpoint}.json`;
}

function toSlug(name: string): string {
  const dashedName = name
    .toLowerCase()
    .replace(/[^a-z0-9]/gu, '-')
    .slice(0, MAX_SLUG_LENGTH);
  return trimCharacters(dashedName, '-');
}
