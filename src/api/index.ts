import { collectResourceModules, type ResourceModules } from '#http/endpoint/resource-module.ts';
import { code } from './code/index.ts';
import { ENDPOINT_SOURCES } from './endpoint-sources.ts';
import { environments } from './environments/index.ts';
import { identity } from './identity/index.ts';
import { instance } from './instance/index.ts';
import { monitoring } from './monitoring/index.ts';
import { namespaces } from './namespaces/index.ts';
import { operations } from './operations/index.ts';
import { pipelines } from './pipelines/index.ts';
import { planning } from './planning/index.ts';

/** The areas in dependency order: an area imports only areas before it. */
export const areas: Readonly<Record<string, ResourceModules>> = {
  instance,
  identity,
  namespaces,
  code,
  planning,
  pipelines,
  environments,
  monitoring,
  operations,
};

/** All resource modules, by name. */
export const resourceModules: ResourceModules = collectResourceModules(areas, ENDPOINT_SOURCES);
