import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import {
  declaresParameter,
  type ParameterRow,
  parseParameterRows,
  SUPPORTED,
  toPlainPath,
  toRouteShape,
} from '../scripts/declared-parameters.ts';

// contract/parameters.tsv lists the parameters and enum values that the reference documents for each endpoint.

const rows = parseParameterRows(readFileSync(join(import.meta.dirname, '../contract/parameters.tsv'), 'utf8'));
const endpoints = new Map(
  createRegistry(resourceModules).endpoints.map((endpoint) => [
    toRouteShape(endpoint.method, toPlainPath(endpoint)),
    endpoint,
  ]),
);

const findEndpoint = ({ method, path }: ParameterRow) => endpoints.get(toRouteShape(method, path));
const describeRow = ({ method, path, parameter }: ParameterRow) => `${method} ${path} ${parameter}`;

test('every row belongs to an endpoint and has a status', () => {
  assert.ok(rows.length > 4_000);
  const invalid = rows.filter((row) => row.parameter === '' || row.status === '' || findEndpoint(row) === undefined);
  assert.deepEqual(invalid.map(describeRow), []);
  assert.equal(new Set(rows.map(describeRow)).size, rows.length);
});

test('every supported parameter and enum value is declared', () => {
  const undeclared = rows.filter((row) => {
    const endpoint = findEndpoint(row);
    return row.status === SUPPORTED && endpoint !== undefined && !declaresParameter(endpoint, row.parameter);
  });
  assert.deepEqual(undeclared.map(describeRow), []);
});

test('every parameter that does not apply is undeclared', () => {
  const declared = rows.filter((row) => {
    const endpoint = findEndpoint(row);
    return row.status !== SUPPORTED && endpoint !== undefined && declaresParameter(endpoint, row.parameter);
  });
  assert.deepEqual(declared.map(describeRow), []);
});
