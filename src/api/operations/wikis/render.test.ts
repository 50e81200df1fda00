import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// Pages as HTML: authors must not be able to attack readers.

const { project, owner } = await world({ project: {} });

async function html(content: string, format = 'markdown'): Promise<string> {
  const title = `page ${Math.random()}`;
  const { body } = await owner.post(`${project.at}/wikis`, { title, content, format });
  const { status, body: shown } = await owner.get(`${project.at}/wikis/${encodeURIComponent(body.slug)}`, {
    render_html: true,
  });
  assert.equal(status, 200);
  return shown.content;
}

test('renders Markdown without its front matter, and other formats as plain text', async () => {
  assert.equal(
    await html('---\ntitle: x\n---\n# Hi\n\n[a](b/c) ~~b~~'),
    '<h1>Hi</h1>\n<p><a href="b/c">a</a> <s>b</s></p>\n',
  );
  assert.equal(await html('<b>= Hi', 'asciidoc'), '<pre>&lt;b&gt;= Hi</pre>');
});

test('removes active content from pages', async () => {
  const attempts = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    'x <a href="javascript:alert(1)">y</a>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](<java&#10;script:alert(1)>)',
    '[a](&#x6A;avascript:alert(1))',
    '[a](\u0001javascript:alert(1))',
    '<javascript:alert(1)>',
    '![a](data:text/html;base64,PHNjcmlwdD4=)',
    '![a](data:image/png;base64,AAAA)',
    '[a]: vbscript:x\n\n[a]',
    '[a](x "y\\" onclick=\\"alert(1)")',
    '```"><script>\nx\n```',
  ];
  for (const attempt of attempts) {
    const rendered = await html(attempt);
    for (const [tag] of rendered.matchAll(/<[^>]*>/g)) {
      assert.doesNotMatch(tag, /script:|data:|<script|<img src="x"/i, attempt);
      const attributes = tag.replaceAll(/="[^"]*"/g, '');
      assert.doesNotMatch(attributes, /\son|style|srcdoc/i, attempt);
    }
  }
});

test('does not log invalid front matter', async (t) => {
  const { mock } = t.mock.method(process.stderr, 'write', () => true);
  for (const yaml of ['%secret\n%secret', 'a: !secret b', '%secret 1\n---\na: 1']) await html(`---\n${yaml}\n---\nx`);
  const written = mock.calls.map(({ arguments: [text] }) => String(text)).join('');
  assert.doesNotMatch(written, /secret|Warning/);
});

test('a text that renders very slowly does not delay others', async () => {
  const hostile = [
    '['.repeat(50_000),
    '*a '.repeat(50_000),
    '>'.repeat(5_000),
    '`a'.repeat(30_000),
    '![['.repeat(20_000),
  ];
  for (const content of hostile) {
    const rendering = html(content).catch(() => 'refused');
    const begun = performance.now();
    await owner.get(project.at);
    assert.ok(performance.now() - begun < 3_000);
    await rendering;
  }
});

test('a short text does not wait for long ones', async () => {
  const make = async (title: string, content: string) =>
    expectSuccess(owner.post(`${project.at}/wikis`, { title, content }));
  await Promise.all([make('slow', '['.repeat(150_000)), make('short', '# a')]);
  let slow = 0;
  const getRendered = async (title: string) =>
    (await owner.get(`${project.at}/wikis/${title}`, { render_html: true })).status;
  const responses = [1, 2, 3].map(() => getRendered('slow').finally(() => slow++));
  assert.deepEqual([await getRendered('short'), slow < 3], [200, true]);
  assert.deepEqual(await Promise.all(responses), [200, 200, 200]);
});
