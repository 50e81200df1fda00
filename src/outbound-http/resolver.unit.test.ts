import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResolver } from './check-url.ts';

/** A DNS lookup that the test ends. */
function slowly() {
  const asked: string[] = [];
  const ends = new Map<string, () => void>();
  const resolver = createResolver(async (host) => {
    asked.push(host);
    const { promise, resolve } = Promise.withResolvers<void>();
    ends.set(host, resolve);
    await promise;
    return [{ address: `${host}.1`, family: 4 }];
  });
  return { asked, resolver, end: (host: string) => ends.get(host)!() };
}

const turn = () => new Promise(setImmediate);

test('resolves hosts one at a time, and each once for concurrent callers', async () => {
  const { asked, resolver, end } = slowly();
  const found = ['a', 'b', 'a', 'b'].map((host) => resolver(host));
  await turn();
  assert.deepEqual(asked, ['a']);
  end('a');
  await turn();
  assert.deepEqual(asked, ['a', 'b']);
  end('b');
  const addresses = (await Promise.all(found)).map(([one]) => one!.address);
  assert.deepEqual(addresses, ['a.1', 'b.1', 'a.1', 'b.1']);
  const again = resolver('a');
  await turn();
  end('a');
  await again;
  assert.deepEqual(asked, ['a', 'b', 'a']);
});

test('does not resolve a host whose callers have all cancelled', async () => {
  const { asked, resolver, end } = slowly();
  const first = resolver('a');
  const [gone, other] = [new AbortController(), new AbortController()];
  const given = assert.rejects(resolver('b', gone.signal), /no caller waits for it/);
  const left = resolver('c', other.signal);
  const stays = resolver('c');
  gone.abort();
  other.abort();
  await turn();
  end('a');
  await Promise.all([first, given]);
  await turn();
  assert.deepEqual(asked, ['a', 'c']);
  end('c');
  await Promise.all([left, stays]);
});
