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

function createLink(href, className, ...children) {
  const link = createElement('a', className, ...children);
  link.href = href;
  return link;
}

/** Renders backquoted parts as code and parts between double asterisks as bold. */
function renderInline(text) {
  return text.split(/(\`[^\`]+\`|[*][*][^*]+[*][*])/).filter(Boolean).map((part) => {
    if (part.startsWith('\`')) return createElement('code', '', part.slice(1, -1));
    return part.startsWith('**') ? createElement('strong', '', part.slice(2, -2)) : part;
  });
}

const renderText = (text) => text.split('\\n\\n').map((paragraph) => createElement('p', 'text', ...renderInline(paragraph)));

function renderPath(path) {
  const parts = path.split(/(\\{\\w+\\})/).map((part) => part.startsWith('{') ? createElement('b', '', part) : part);
  return createElement('span', 'path', ...parts);
}

/** Copies a text and confirms it on the button. Pages without HTTPS have no clipboard, only a selection. */
async function copy(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    const area = createElement('textarea', '', text);
    document.body.append(area);
    area.select();
    button.textContent = document.execCommand('copy') ? 'Copied' : 'Not possible';
    area.remove();
    button.focus();
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}

function createCopyButton(label, getText) {
  const button = createElement('button', 'copy', label);
  button.type = 'button';
  button.addEventListener('click', () => copy(getText(), button));
  return button;
}

const renderCode = (text) => {
  const code = createElement('pre', '', text);
  code.tabIndex = 0;
  return createElement('div', 'code', code, createCopyButton('Copy', () => text));
};

const nameOf = (reference) => reference.slice(reference.lastIndexOf('/') + 1);
const resolve = (object, components) => object && object.$ref ? components[nameOf(object.$ref)] : object;

/** Formats a schema as one line: string, integer, Project[], "asc" | "desc". */
function formatType(schema) {
  if (!schema) return '';
  if (schema.$ref) return nameOf(schema.$ref);
  const union = schema.anyOf || schema.oneOf;
  if (union) return union.map(formatType).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.type === 'array') return formatType(schema.items) + '[]';
  return schema.format || schema.type || 'any';
}

function renderTable(names, rows) {
  const heads = names.map((name) => {
    const head = createElement('th', '', name);
    head.scope = 'col';
    return head;
  });
  const table = createElement('table', '', createElement('thead', '', createElement('tr', '', ...heads)), createElement('tbody', '', ...rows.map((cells) =>
    createElement('tr', '', ...cells.map((cell) => createElement('td', '', ...[cell].flat()))))));
  return createElement('div', 'scroll', table);
}

function getBody(operation, components) {
  const [type, content] = Object.entries((operation.requestBody || {}).content || {})[0] || [];
  return { type, schema: resolve((content || {}).schema, components.schemas) || {}, example: ((content || {}).examples || {}).request };
}

function listParameters(operation, components) {
  const { schema } = getBody(operation, components);
  const inBody = Object.entries(schema.properties || {}).map(([name, property]) =>
    ({ name, in: 'body', required: (schema.required || []).includes(name), schema: property, description: property.description }));
  return [...(operation.parameters || []), ...inBody];
}

function buildParameterRows(parameters) {
  return parameters.map(({ name, required, schema, description, in: location }) => [
    createElement('code', '', name),
    createElement('span', 'soft', required ? location + ', required' : location),
    createElement('code', '', formatType(schema) + (schema && schema.default !== undefined ? ' = ' + JSON.stringify(schema.default) : '')),
    renderInline(description || ''),
  ]);
}

function listResponses(operation, components) {
  return Object.entries(operation.responses).map(([status, response]) => [status, resolve(response, components.responses)]);
}

function buildErrorRows(operation, components) {
  return listResponses(operation, components).filter(([status]) => status >= '300').map(([status, { description, content = {} }]) => {
    const examples = Object.values((content['application/json'] || {}).examples || {}).map((example) => resolve(example, components.examples).value);
    const bodies = [...new Set(examples.map((value) => JSON.stringify(value)))].map((text) => createElement('code', 'line', text));
    return [createElement('code', '', status), [...renderInline(description), ...bodies]];
  });
}

function renderResponse(operation, components) {
  const [status, response] = listResponses(operation, components).find(([code]) => code < '300') || ['', { description: '' }];
  const [type, content] = Object.entries(response.content || {})[0] || ['', {}];
  const parts = [createElement('p', 'text', createElement('code', '', status), ' ', ...renderInline(response.description), type ? ' ' : '', type ? createElement('code', '', type) : '')];
  for (const example of Object.values(content.examples || {})) parts.push(renderCode(JSON.stringify(resolve(example, components.examples).value, null, 2)));
  const item = content.schema && content.schema.type === 'array' ? content.schema.items : content.schema;
  const { properties = {} } = resolve(item, components.schemas) || {};
  const rows = Object.entries(properties).map(([name, field]) =>
    [createElement('code', '', name), createElement('code', '', formatType(field)), renderInline(field.description || '')]);
  if (rows.length > 0) parts.push(createElement('details', 'fields', createElement('summary', '', 'Fields of ' + formatType(item)), renderTable(['Name', 'Type', 'Description'], rows)));
  return parts;
}

const quote = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";

/** Returns a command that sends the request of the example. */
function formatCommand(method, path, operation, { components, servers }) {
  const parameters = operation.parameters || [];
  const filled = path.replace(/\\{(\\w+)\\}/g, (text, name) => {
    const { example } = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name) || {};
    return example === undefined ? ':' + name : encodeURIComponent(example);
  });
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.example !== undefined).flatMap(({ name, example }) => {
    if (typeof example !== 'object' || example === null) return [[name, example]];
    return Array.isArray(example) ? example.map((value) => [name, value]) : Object.entries(example).map(([key, value]) => [name + '[' + key + ']', value]);
  }).map(([name, value]) => encodeURIComponent(name) + '=' + encodeURIComponent(value)).join('&');
  const parts = ['curl'];
  if (method === 'head') parts.push('--head');
  else if (method !== 'get') parts.push('--request ' + method.toUpperCase());
  if (operation['x-access'] !== 'open' && operation.security.length > 0) parts.push('--header "PRIVATE-TOKEN: <your_access_token>"');
  const { type, example } = getBody(operation, components);
  if (type === '*/*') parts.push('--data-binary @file');
  else if (example) parts.push('--header "Content-Type: application/json"', '--data ' + quote(JSON.stringify(example.value)));
  parts.push(quote(servers[0].url + filled + (query ? '?' + query : '')));
  return parts.join(' \\\\\\n  ');
}

function renderDetails(method, path, operation, api) {
  const { components } = api;
  const parts = renderText(operation.description || '');
  const link = createLink('#' + operation.operationId, 'permalink', 'Link to this operation');
  parts.push(createElement('p', 'links', link, ' ', createCopyButton('Copy link', () => link.href)));
  const section = (title, ...content) => parts.push(createElement('h4', '', title), ...content);
  section('Request', renderCode(formatCommand(method, path, operation, api)));
  const parameters = listParameters(operation, components);
  if (parameters.length > 0) section('Parameters', renderTable(['Name', 'Where', 'Type', 'Description'], buildParameterRows(parameters)));
  section('Response', ...renderResponse(operation, components));
  const errors = buildErrorRows(operation, components);
  if (errors.length > 0) section('Errors', renderTable(['Status', 'Meaning and bodies'], errors));
  const details = createElement('dl', '');
  const detail = (name, value) => value && details.append(createElement('dt', '', name), createElement('dd', '', createElement('code', '', value)));
  detail('access', operation['x-access']);
  detail('order of checks', operation['x-order']);
  detail('records', (operation['x-records'] || []).join(', '));
  detail('operation', operation.operationId);
  detail('source', 'src/api/' + operation['x-source']);
  section('Details', details);
  return createElement('div', 'inside', ...parts);
}

function renderOperation(path, method, operation, api) {
  const summary = createElement('summary', '', createElement('span', 'method ' + method, method.toUpperCase()), renderPath(path), createElement('span', 'what', operation.summary));
  const details = createElement('details', 'endpoint', summary);
  details.id = operation.operationId;
  // Rendered when it is opened first: all operations together are megabytes.
  details.addEventListener('toggle', () => {
    if (details.open && details.children.length === 1) details.append(renderDetails(method, path, operation, api));
  });
  const parameters = listParameters(operation, api.components).flatMap(({ name, description }) => [name, description]);
  const text = [method, path, operation.operationId, operation.summary, operation.description, operation['x-access'], ...operation.tags, ...parameters].join(' ').toLowerCase();
  return { details, text };
}

const toSlug = (name) => 'tag-' + name.toLowerCase().replace(/[^a-z0-9]+/g, '-');

function renderTags(api) {
  const entriesByTag = new Map(api.tags.map(({ name }) => [name, []]));
  for (const [path, item] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(item))
      entriesByTag.get(operation.tags[0]).push(renderOperation(path, method, operation, api));
  }
  return api.tags.map(({ name, description }) => {
    const title = createElement('h3', '', createLink('#' + toSlug(name), '', name));
    title.id = toSlug(name);
    const counter = createElement('span', '');
    const link = createLink('#' + title.id, '', name, counter);
    const entries = entriesByTag.get(name);
    const section = createElement('section', '', title, ...renderText(description), ...entries.map(({ details }) => details));
    return { name, entries, counter, link, section };
  });
}

function renderGroups(api, tags) {
  return api['x-tagGroups'].map(({ name, tags: names }) => {
    const members = tags.filter((tag) => names.includes(tag.name));
    const section = createElement('section', 'group', createElement('h2', '', name), ...members.map((member) => member.section));
    const links = createElement('div', '', createElement('h2', '', name), ...members.map(({ link }) => link));
    return { members, section, links };
  });
}

function applyFilter(groups, words) {
  let count = 0;
  for (const { members, section, links } of groups) {
    for (const { entries, counter, link, section: tagSection } of members) {
      let visibleCount = 0;
      for (const { details, text } of entries) {
        details.hidden = !words.every((word) => text.includes(word));
        if (!details.hidden) visibleCount++;
      }
      tagSection.hidden = link.hidden = visibleCount === 0;
      counter.textContent = visibleCount;
      count += visibleCount;
    }
    section.hidden = links.hidden = members.every((member) => member.section.hidden);
  }
  byId('introduction').hidden = words.length > 0;
  byId('count').textContent = count === 1 ? '1 operation' : count + ' operations';
}

/** Opens the operation in the address and scrolls to it, even if the filter hides it. */
function showLinkedElement(clearFilter) {
  const linkedElement = byId(decodeURIComponent(location.hash.slice(1)));
  if (!linkedElement) return;
  if (linkedElement.closest('[hidden]')) clearFilter();
  if (linkedElement.localName === 'details') linkedElement.open = true;
  linkedElement.scrollIntoView();
}

function listenForKeys(filter, clearFilter) {
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && event.target === filter) clearFilter();
    if (event.key !== '/' || event.target === filter || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    filter.focus();
  });
}

async function start() {
  const response = await fetch('v4/openapi.json', { credentials: 'omit' });
  if (!response.ok) throw new Error('status ' + response.status);
  const api = await response.json();
  const groups = renderGroups(api, renderTags(api));
  byId('introduction').append(...renderText(api.info.description));
  byId('tags').append(...groups.map(({ links }) => links));
  byId('endpoints').append(...groups.map(({ section }) => section));
  const filter = byId('filter');
  const apply = () => applyFilter(groups, filter.value.toLowerCase().split(/\\s+/).filter(Boolean));
  const clearFilter = () => { filter.value = ''; apply(); };
  filter.addEventListener('input', apply);
  listenForKeys(filter, clearFilter);
  const menu = byId('menu');
  const wide = matchMedia('(min-width: 50rem)');
  const fitMenu = () => { menu.open = wide.matches; };
  wide.addEventListener('change', fitMenu);
  fitMenu();
  const showLinked = () => showLinkedElement(clearFilter);
  addEventListener('hashchange', showLinked);
  // A link to the present address changes nothing, but the operation may be closed.
  addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    if (!wide.matches && menu.contains(link)) menu.open = false;
    if (link.hash === location.hash) showLinked();
  });
  apply();
  showLinked();
}

start().catch((error) => { byId('count').textContent = 'The document could not be read: ' + error.message; });
`;
