/** The browser script of the page at /api/docs: reads openapi.json and builds the list. Never inserts text as HTML. */
export const SCRIPT = `
'use strict';
const byId = (id) => document.getElementById(id);

function createElement(name, className, ...children) {
  const node = document.createElement(name);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

function renderPath(path) {
  const parts = path.split(/(\\{\\w+\\})/).map((part) => part.startsWith('{') ? createElement('b', '', part) : part);
  return createElement('span', 'path', ...parts);
}

/** Formats a schema as one line: string, integer, Project[], "asc" | "desc". */
function formatType(schema) {
  if (!schema) return '';
  if (schema.$ref) return schema.$ref.split('/').pop();
  const union = schema.anyOf || schema.oneOf;
  if (union) return union.map(formatType).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return formatType(schema.items) + '[]';
  return schema.format || schema.type || 'any';
}

/** Formats a schema with its fields; expands named schemas down to the given depth. */
function formatShape(schema, schemas, depth, indent) {
  if (schema && schema.$ref && depth > 0) return formatShape(schemas[formatType(schema)], schemas, depth - 1, indent);
  if (schema && schema.type === 'array') return '[' + formatShape(schema.items, schemas, depth, indent) + ']';
  if (!schema || !schema.properties || Object.keys(schema.properties).length === 0) return formatType(schema);
  const required = schema.required || [];
  const lines = Object.entries(schema.properties).map(([name, field]) =>
    indent + '  ' + name + (required.includes(name) ? '' : '?') + ': ' + formatShape(field, schemas, depth - 1, indent + '  '));
  return '{\\n' + lines.join(',\\n') + '\\n' + indent + '}';
}

function renderTable(rows) {
  return createElement('table', '', createElement('tbody', '', ...rows.map((cells) =>
    createElement('tr', '', ...cells.map((cell) => createElement('td', '', cell))))));
}

function buildParameterRows(operation) {
  const rows = (operation.parameters || []).map(({ name, required, schema, description, in: parameterLocation }) => [name, required, schema, description, parameterLocation]);
  const contents = Object.values((operation.requestBody || {}).content || {});
  const body = contents.length > 0 ? contents[0].schema : {};
  for (const [name, schema] of Object.entries(body.properties || {}))
    rows.push([name, (body.required || []).includes(name), schema, schema.description, 'body']);
  return rows.map(([name, required, schema, description, parameterLocation]) => [
    createElement('code', '', name),
    createElement('span', 'soft', required ? parameterLocation + ', required' : parameterLocation),
    createElement('code', '', formatType(schema) + (schema && schema.default !== undefined ? ' = ' + JSON.stringify(schema.default) : '')),
    description || '',
  ]);
}

function buildErrorRows(operation, components) {
  const rows = [];
  for (const [status, responseOrReference] of Object.entries(operation.responses)) {
    const response = responseOrReference.$ref ? components.responses[responseOrReference.$ref.split('/').pop()] : responseOrReference;
    const examples = ((response.content || {})['application/json'] || {}).examples || {};
    for (const { value } of Object.values(examples)) rows.push([createElement('code', '', status), createElement('code', '', JSON.stringify(value))]);
  }
  return rows;
}

function renderResponse(operation, schemas) {
  const [status, response] = Object.entries(operation.responses).find(([code]) => code < '300') || ['', {}];
  const [type, content] = Object.entries(response.content || {})[0] || ['', {}];
  const heading = createElement('p', '', createElement('code', '', status), ' ', createElement('span', 'soft', type || 'no body'));
  return type === 'application/json' ? [heading, createElement('pre', '', formatShape(content.schema, schemas, 3, ''))] : [heading];
}

function renderDetails(operation, components) {
  const details = createElement('dl', '');
  const detail = (name, value) => value && details.append(createElement('dt', '', name), createElement('dd', '', createElement('code', '', value)));
  detail('who', operation['x-access']);
  detail('order of checks', operation['x-order']);
  detail('records', (operation['x-records'] || []).join(', '));
  detail('operation', operation.operationId);
  detail('source', 'src/api/' + operation['x-source']);
  const parts = [details];
  const section = (title, rows) => rows.length > 0 && parts.push(createElement('h3', '', title), renderTable(rows));
  section('Parameters', buildParameterRows(operation));
  parts.push(createElement('h3', '', 'Answer'), ...renderResponse(operation, components.schemas));
  section('Errors', buildErrorRows(operation, components));
  return createElement('div', 'inside', ...parts);
}

function renderEndpoint(path, method, operation, components) {
  const summary = createElement('summary', '', createElement('span', 'method ' + method, method.toUpperCase()), renderPath(path), createElement('span', 'what', operation.summary));
  const details = createElement('details', 'endpoint', summary);
  details.id = operation.operationId;
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(renderDetails(operation, components));
  });
  const text = [method, path, operation.operationId, operation.summary, operation['x-access'], operation['x-source']].join(' ').toLowerCase();
  return { details, text };
}

function renderGroups({ tags, paths, components }) {
  const groups = new Map(tags.map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item))
      groups.get(operation.tags[0]).push(renderEndpoint(path, method, operation, components));
  }
  return [...groups].map(([name, entries]) => {
    const title = createElement('h2', '', name);
    title.id = 'family-' + name;
    const counter = createElement('span', '');
    const link = createElement('a', '', name, counter);
    link.href = '#' + title.id;
    return { entries, counter, link, section: createElement('section', '', title, ...entries.map(({ details }) => details)) };
  });
}

function applyFilter(groups, words) {
  let count = 0;
  for (const { entries, counter, link, section } of groups) {
    let visibleCount = 0;
    for (const { details, text } of entries) {
      details.hidden = !words.every((word) => text.includes(word));
      if (!details.hidden) visibleCount++;
    }
    section.hidden = link.hidden = visibleCount === 0;
    counter.textContent = visibleCount;
    count += visibleCount;
  }
  byId('count').textContent = count === 1 ? '1 endpoint' : count + ' endpoints';
}

function openLinkedEndpoint() {
  const linkedElement = byId(decodeURIComponent(location.hash.slice(1)));
  if (!linkedElement || linkedElement.localName !== 'details') return;
  linkedElement.open = true;
  linkedElement.scrollIntoView();
}

async function start() {
  const response = await fetch('v4/openapi.json', { credentials: 'omit' });
  const groups = renderGroups(await response.json());
  byId('tags').append(...groups.map(({ link }) => link));
  byId('endpoints').append(...groups.map(({ section }) => section));
  const filter = byId('filter');
  const apply = () => applyFilter(groups, filter.value.toLowerCase().split(/\\s+/).filter(Boolean));
  filter.addEventListener('input', apply);
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === filter) return;
    event.preventDefault();
    filter.focus();
  });
  addEventListener('hashchange', openLinkedEndpoint);
  apply();
  openLinkedEndpoint();
}

start().catch((error) => { byId('count').textContent = 'The document could not be read: ' + error.message; });
`;
