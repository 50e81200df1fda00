import { SCOPE_DESCRIPTIONS } from '#authentication/tokens/access-tokens.ts';
import { resolveSiblingProgram } from '#runtime/worker-thread.ts';
import { createYielder } from '#runtime/yielding.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { type Parameter, parametersSchema } from '../parameters/declarations.ts';
import { string } from '../parameters/texts.ts';
import { SESSION_COOKIE } from '../request/cookie.ts';
import { getDeclaredParameters } from '../server/pipeline/handle.ts';
import { getFullPath, parsePathParameters, replaceParameters } from '../server/routing/paths.ts';
import type { Registry } from '../server/routing/registry.ts';
import type { ApiDocument, ApiServer, Json } from '../services.ts';
import { describeAccess } from './access-sentences.ts';
import type * as Descriptions from './descriptions.ts';
import { type ApiExamples, getEntityName, readExamples } from './example-reader.ts';
import { createResponseComponents, createResponses, hasRequestBody } from './openapi-responses.ts';
import { SchemaCollector } from './schema-collector.ts';
import { getTag, listTags } from './tags.ts';

/** Builds the OpenAPI 3.1 document of the routes below /api/v4 from the endpoints (contract/conventions.md §10). */

/**
 * The modules that build a document. The first request for it loads them, so that idle servers do not have them in memory.
 */
interface Sources {
  readonly descriptions: typeof Descriptions;
  readonly examples: ApiExamples;
  readonly schemas: SchemaCollector;
}

/**
 * Builds the OpenAPI document. Takes a tenth of a second, in which it yields to the event loop; callers cache the result.
 */
export async function buildOpenApiDocument(registry: Registry, { url, version }: ApiServer): Promise<ApiDocument> {
  const program = resolveSiblingProgram(import.meta.url, 'descriptions');
  const descriptions = (await import(program.href)) as typeof Descriptions;
  const schemas = new SchemaCollector(descriptions.describeField);
  const sources = { descriptions, schemas, examples: await readExamples(registry) };
  const endpoints = registry.endpoints.filter(({ outsideApi: root }) => !root);
  const { tags, groups } = listTags(endpoints);
  const paths = await createPaths(endpoints, sources);
  const { errorSchema, ...components } = createResponseComponents();
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hearth',
      version,
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The administrators of this server', url },
    },
    servers: [{ url }],
    tags,
    'x-tagGroups': groups,
    paths,
    components: {
      securitySchemes: createSecuritySchemes(url),
      ...components,
      schemas: { ...schemas.components, ErrorResponse: errorSchema },
    },
  };
}

const INTRODUCTION = `The v4 REST API of this server.

**Credentials.** Send a personal, group or project access token in the header \`PRIVATE-TOKEN\`, or an OAuth token as
\`Authorization: Bearer\`. Reads need the scope \`api\` or \`read_api\`, other requests \`api\`; operations that accept further
scopes state them.

**Parameters.** Reads and \`DELETE\` take them in the query, other requests as JSON, form or multipart body. An ID of a project or
group may be its URL-encoded full path: \`group%2Fproject\`.

**Lists** are paged by \`page\` and \`per_page\`; follow the header \`Link\`. Large lists support keyset pagination:
\`pagination=keyset\`.

**Times** are in UTC, as \`2026-01-02T03:04:05.000Z\`.

**Errors** have a JSON body with \`message\` or \`error\`. What the caller may not see answers 404.`;

async function createPaths(endpoints: readonly Endpoint[], sources: Sources): Promise<ApiDocument['paths']> {
  const paths: Record<string, Record<string, Json>> = {};
  const namesByPattern = collectParameterNames(endpoints);
  const yieldIfDue = createYielder();
  for (const endpoint of endpoints) {
    const names = namesByPattern.get(toPattern(endpoint))!.values();
    const template = toPattern(endpoint).replaceAll('{}', () => `{${[...names.next().value!].join('_or_')}}`);
    const pathItem = (paths[template] ??= {});
    pathItem[endpoint.method.toLowerCase()] = createOperation(endpoint, template, sources);
    const pause = yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return paths;
}

/** Returns the path of an endpoint without the names of its parameters. One with a trailing slash is also served without it. */
const toPattern = (endpoint: Endpoint): string =>
  replaceParameters(getFullPath(endpoint).replace(/\/$/, ''), () => '{}');

/**
 * Returns the names at each parameter of each path. OpenAPI allows only one: where those of several endpoints differ, the document
 * has `{epic_issue_id_or_issue_id}`.
 */
function collectParameterNames(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly Set<string>[]> {
  const namesByPattern = new Map<string, Set<string>[]>();
  for (const endpoint of endpoints) {
    const names = namesByPattern.get(toPattern(endpoint)) ?? [];
    namesByPattern.set(toPattern(endpoint), names);
    for (const [index, { name }] of parsePathParameters(getFullPath(endpoint)).entries())
      (names[index] ??= new Set()).add(name);
  }
  return namesByPattern;
}

function createOperation(endpoint: Endpoint, template: string, sources: Sources): Json {
  const { name, summary, description, access, stageOrder, activity, source } = endpoint;
  const sentences = [description, describeAccess(endpoint).text].filter((text) => text !== '');
  return {
    operationId: name,
    summary,
    description: sentences.join('\n\n'),
    tags: [getTag(endpoint).name],
    ...createParameters(endpoint, template, sources),
    responses: createResponses(endpoint, sources.schemas, createResponseExamples(endpoint, sources.examples)),
    security: SECURITY[access.audience],
    'x-access': access.label,
    ...(stageOrder === 'standard' ? {} : { 'x-order': stageOrder }),
    ...(activity.length > 0 ? { 'x-records': activity } : {}),
    'x-source': source,
  };
}

/** Returns the example of the endpoint's response: its own, or that of its entity. */
function createResponseExamples(endpoint: Endpoint, { byOperation, byEntity }: ApiExamples): Json | undefined {
  const { name, response } = endpoint;
  const entityName = getEntityName(endpoint);
  const item = entityName === undefined ? undefined : byEntity.get(entityName);
  const isList = response.kind === 'list' || response.kind === 'page';
  const ofEntity = item !== undefined && isList ? [item] : item;
  const value = ofEntity ?? byOperation.get(name)?.response;
  return value === undefined ? undefined : { response: { value } };
}

const SIGNED_IN = [{ privateToken: [] }, { bearer: [] }, { oauth2: [] }, { session: [] }];
const SECURITY: Readonly<Record<Endpoint['access']['audience'], readonly Json[]>> = {
  // {}: without credentials.
  open: [{}, ...SIGNED_IN],
  user: SIGNED_IN,
  admin: SIGNED_IN,
  // The credential is not an API credential, such as a job token in a parameter.
  tokenHolder: [],
};

/** The authentication schemes (contract/conventions.md §7); each operation lists those that it accepts. */
function createSecuritySchemes(url: string): Json {
  const token = { tokenUrl: `${url}/oauth/token`, refreshUrl: `${url}/oauth/token`, scopes: SCOPE_DESCRIPTIONS };
  const authorizationCode = { authorizationUrl: `${url}/oauth/authorize`, ...token };
  return {
    privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
    bearer: { type: 'http', scheme: 'bearer' },
    oauth2: { type: 'oauth2', flows: { authorizationCode, password: token } },
    session: { type: 'apiKey', in: 'cookie', name: SESSION_COOKIE },
  };
}

function createParameters(endpoint: Endpoint, template: string, sources: Sources): Json {
  const { descriptions, schemas, examples } = sources;
  const example = examples.byOperation.get(endpoint.name);
  const parsedParameters = parsePathParameters(getFullPath(endpoint));
  const path = replaceParameters(getFullPath(endpoint), ({ name }) => `{${name}}`);
  const templateNames = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const pathParameters = parsedParameters.map(({ name, pattern }, index) => {
    const declared = endpoint.params[name];
    const declaredSchema = declared?.type.schema ?? string.schema;
    const schema = schemas.toReference(
      pattern === undefined ? declaredSchema : { ...declaredSchema, ...string.schema, pattern },
    );
    const templateName = templateNames[index] ?? name;
    const description = declared?.description ?? descriptions.describePathParameter(path, name);
    return {
      name: templateName,
      in: 'path',
      required: true,
      ...(description === undefined ? {} : { description }),
      schema,
      ...createExample(example?.path?.[name], schema as Json),
    };
  });
  const otherParameters = Object.entries(getDeclaredParameters(endpoint)).filter(
    ([name]) => !parsedParameters.some((parameter) => parameter.name === name),
  );
  const bodyParameters = endpoint.body === 'deferred' ? Object.entries(endpoint.fields) : otherParameters;
  if (hasRequestBody(endpoint))
    return { parameters: pathParameters, ...createRequestBody(endpoint, bodyParameters, sources) };
  return {
    parameters: [
      ...pathParameters,
      ...otherParameters.map(([name, parameter]) =>
        createQueryParameter(name, parameter, sources, example?.params?.[name]),
      ),
    ],
  };
}

function createExample(value: unknown, schema: Json): Json {
  return value === undefined ? {} : { example: toExample(value, schema) };
}

/** Returns the value of an example in the type of its schema: examples rely on the conversion of parameters. */
function toExample(value: unknown, schema: Json): unknown {
  const { type, format, anyOf = [] } = schema as { type?: unknown; format?: unknown; anyOf?: readonly Json[] };
  const acceptsText = type === 'string' || anyOf.some((part) => part.type === 'string');
  if (typeof value === 'number' && acceptsText) return String(value);
  const isDate = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
  return isDate && format === 'date-time' ? `${value}T00:00:00.000Z` : value;
}

function createQueryParameter(
  name: string,
  { type, presence, defaultValue: fallback, description: declaredDescription }: Parameter<unknown>,
  { descriptions, schemas }: Sources,
  example: unknown,
): Json {
  const schema = {
    ...(schemas.toReference(type.schema) as Json),
    ...(fallback === undefined ? {} : { default: fallback }),
  };
  const schemaType = (type.schema as { type?: string }).type;
  const description = declaredDescription ?? descriptions.describeParameter(name, 'query');
  return {
    name: schemaType === 'array' ? `${name}[]` : name,
    in: 'query',
    required: presence === 'required',
    ...(description === undefined ? {} : { description }),
    ...(schemaType === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema,
    ...createExample(example, type.schema as Json),
  };
}

function createRequestBody(
  endpoint: Endpoint,
  declared: [string, Parameter<unknown>][],
  { descriptions, schemas, examples }: Sources,
): Json {
  if (endpoint.body === 'raw') return { requestBody: { required: true, content: { '*/*': { schema: {} } } } };
  if (declared.length === 0) return {};
  const shape = parametersSchema(describeAll(declared, (name) => descriptions.describeParameter(name, 'body')));
  const schema = schemas.defineBody(`${endpoint.name[0]!.toUpperCase()}${endpoint.name.slice(1)}Body`, shape);
  const mediaTypes = endpoint.body === 'json' ? ['application/json'] : BODY_TYPES;
  const names = new Set(declared.map(([name]) => name));
  // A rule such as `atLeastOne` requires a body only if no parameter outside the body can satisfy it.
  const required =
    declared.some(([, { presence }]) => presence === 'required') ||
    endpoint.rules.some(({ requiresOneOf }) => requiresOneOf?.every((name) => names.has(name)));
  const example = examples.byOperation.get(endpoint.name)?.params;
  const types = new Map(declared.map(([name, { type }]) => [name, type.schema as Json]));
  const params =
    example &&
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, toExample(value, types.get(name) ?? {})]));
  const content = mediaTypes.map((type) => [
    type,
    { schema, ...(type === 'application/json' && params && { examples: { request: { value: params } } }) },
  ]);
  return { requestBody: { required, content: Object.fromEntries(content) } };
}

/** Returns the parameters with the descriptions that are common to all parameters of their names. */
function describeAll(
  declared: readonly [string, Parameter<unknown>][],
  describeParameter: (name: string) => string | undefined,
): Record<string, Parameter<unknown>> {
  return Object.fromEntries(
    declared.map(([name, parameter]) => {
      const description = parameter.description ?? describeParameter(name);
      return [name, description === undefined ? parameter : { ...parameter, description }];
    }),
  );
}

const BODY_TYPES = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'];
