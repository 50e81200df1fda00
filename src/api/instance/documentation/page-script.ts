/** The browser script of the page at /api/docs: reads openapi.json and builds the list. Never inserts text as HTML. */
export const SCRIPT = `
'use strict';
const byId = (id) => document.getElementById(id);

function element(name, className, ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function pathOf(path) {
  const parts = path.split(/(\\{\\w+\\})/).map((part) => part.startsWith('{') ? element('b', '', part) : part);
  return element('span', 'path', ...parts);
}

/** Formats a schema as one line: string, integer, Project[], "asc" | "desc". */
function typeOf(schema) {
  if (!schema) return '';
  if (schema.$ref) return schema.$ref.split('/').pop();
  const union = schema.anyOf || schema.oneOf;
  if (union) return union.map(typeOf).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return typeOf(schema.items) + '[]';
  return schema.format || schema.type || 'any';
}

/** Formats a schema with its fields; expands named schemas down to the given depth. */
function shapeOf(schema, schemas, depth, indent) {
  if (schema && schema.$ref && depth > 0) return shapeOf(schemas[typeOf(schema)], schemas, depth - 1, indent);
  if (schema && schema.type === 'array') return '[' + shapeOf(schema.items, schemas, depth, indent) + ']';
  if (!schema || !schema.properties || Object.keys(schema.properties).length === 0) return typeOf(schema);
  const required = schema.required || [];
  const lines = Object.entries(schema.properties).map(([name, field]) =>
    indent + '  ' + name + (required.includes(name) ? '' : '?') + ': ' + shapeOf(field, schemas, depth - 1, indent + '  '));
  return '{\\n' + lines.join(',\\n') + '\\n' + indent + '}';
}

function table(rows) {
  return element('table', '', element('tbody', '', ...rows.map((cells) =>
    element('tr', '', ...cells.map((cell) => element('td', '', cell))))));
}

function parameterRows(operation) {
  const rows = (operation.parameters || []).map(({ name, required, schema, description, in: place }) => [name, required, schema, description, place]);
  const contents = Object.values((operation.requestBody || {}).content || {});
  const body = contents.length > 0 ? contents[0].schema : {};
  for (const [name, schema] of Object.entries(body.properties || {})) {
    rows.push([name, (body.required || []).includes(name), schema, schema.description, 'body']);
  }
  return rows.map(([name, required, schema, description, place]) => [
    element('code', '', name),
    element('span', 'soft', required ? place + ', required' : place),
    element('code', '', typeOf(schema) + (schema && schema.default !== undefined ? ' = ' + JSON.stringify(schema.default) : '')),
    description || '',
  ]);
}

function errorRows(operation, components) {
  const rows = [];
  for (const [status, given] of Object.entries(operation.responses)) {
    const response = given.$ref ? components.responses[given.$ref.split('/').pop()] : given;
    const examples = ((response.content || {})['application/json'] || {}).examples || {};
    for (const { value } of Object.values(examples)) rows.push([element('code', '', status), element('code', '', JSON.stringify(value))]);
  }
  return rows;
}

function answerOf(operation, schemas) {
  const [status, response] = Object.entries(operation.responses).find(([code]) => code < '300') || ['', {}];
  const [type, content] = Object.entries(response.content || {})[0] || ['', {}];
  const heading = element('p', '', element('code', '', status), ' ', element('span', 'soft', type || 'no body'));
  return type === 'application/json' ? [heading, element('pre', '', shapeOf(content.schema, schemas, 3, ''))] : [heading];
}

function inside(operation, components) {
  const details = element('dl', '');
  const detail = (name, value) => value && details.append(element('dt', '', name), element('dd', '', element('code', '', value)));
  detail('who', operation['x-access']);
  detail('order of checks', operation['x-order']);
  detail('records', (operation['x-records'] || []).join(', '));
  detail('operation', operation.operationId);
  detail('source', 'src/api/' + operation['x-source']);
  const parts = [details];
  const section = (title, rows) => rows.length > 0 && parts.push(element('h3', '', title), table(rows));
  section('Parameters', parameterRows(operation));
  parts.push(element('h3', '', 'Answer'), ...answerOf(operation, components.schemas));
  section('Errors', errorRows(operation, components));
  return element('div', 'inside', ...parts);
}

function endpointOf(path, method, operation, components) {
  const summary = element('summary', '', element('span', 'method ' + method, method.toUpperCase()), pathOf(path), element('span', 'what', operation.summary));
  const details = element('details', 'endpoint', summary);
  details.id = operation.operationId;
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(inside(operation, components));
  });
  const text = [method, path, operation.operationId, operation.summary, operation['x-access'], operation['x-source']].join(' ').toLowerCase();
  return { details, text };
}

function build({ tags, paths, components }) {
  const groups = new Map(tags.map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      groups.get(operation.tags[0]).push(endpointOf(path, method, operation, components));
    }
  }
  return [...groups].map(([name, entries]) => {
    const title = element('h2', '', name);
    title.id = 'family-' + name;
    const number = element('span', '');
    const link = element('a', '', name, number);
    link.href = '#' + title.id;
    return { entries, number, link, section: element('section', '', title, ...entries.map(({ details }) => details)) };
  });
}

function show(groups, words) {
  let count = 0;
  for (const { entries, number, link, section } of groups) {
    let some = 0;
    for (const { details, text } of entries) {
      details.hidden = !words.every((word) => text.includes(word));
      if (!details.hidden) some++;
    }
    section.hidden = link.hidden = some === 0;
    number.textContent = some;
    count += some;
  }
  byId('count').textContent = count === 1 ? '1 endpoint' : count + ' endpoints';
}

function openNamed() {
  const named = byId(decodeURIComponent(location.hash.slice(1)));
  if (!named || named.localName !== 'details') return;
  named.open = true;
  named.scrollIntoView();
}

async function start() {
  const answer = await fetch('v4/openapi.json', { credentials: 'omit' });
  const groups = build(await answer.json());
  byId('tags').append(...groups.map(({ link }) => link));
  byId('endpoints').append(...groups.map(({ section }) => section));
  const filter = byId('filter');
  const apply = () => show(groups, filter.value.toLowerCase().split(/\\s+/).filter(Boolean));
  filter.addEventListener('input', apply);
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === filter) return;
    event.preventDefault();
    filter.focus();
  });
  addEventListener('hashchange', openNamed);
  apply();
  openNamed();
}

start().catch((error) => { byId('count').textContent = 'The document could not be read: ' + error.message; });
`;
