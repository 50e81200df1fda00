import { type Families, familiesOf } from '../http/endpoint/family.ts';
import { code } from './code/index.ts';
import { environments } from './environments/index.ts';
import { identity } from './identity/index.ts';
import { instance } from './instance/index.ts';
import { monitoring } from './monitoring/index.ts';
import { operations } from './operations/index.ts';
import { pipelines } from './pipelines/index.ts';
import { places } from './places/index.ts';
import { planning } from './planning/index.ts';

/** The wings, in their order: one imports only wings before it. */
export const wings: Readonly<Record<string, Families>> = {
  instance,
  identity,
  places,
  code,
  planning,
  pipelines,
  environments,
  monitoring,
  operations,
};

export const families: Families = familiesOf(wings);
