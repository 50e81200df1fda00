import { type TSchema, Type } from 'typebox';
import { nullable, shape } from '../../../http/endpoint/answers.ts';
import { type Definition, definitions, type SettingName, settingNames } from '../../../settings/definitions.ts';

const SCHEMAS: Readonly<Record<Definition<unknown>['kind'], TSchema>> = {
  boolean: Type.Boolean(),
  integer: Type.Integer(),
  text: Type.String(),
  choice: Type.String(),
  list: Type.Array(Type.String()),
  weights: Type.Record(Type.String(), Type.Integer()),
};

const fields = settingNames.map((name: SettingName) => {
  const { kind, nullable: mayBeNull } = definitions[name];
  return [name, mayBeNull ? nullable(SCHEMAS[kind]) : SCHEMAS[kind]];
});

/** All application settings: contract/conventions.md §11. */
export const ApplicationSettings = shape(
  'ApplicationSettings',
  Object.fromEntries(fields) as Record<SettingName, TSchema>,
);
