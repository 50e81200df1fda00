import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSshKey } from './ssh-keys.ts';

/** Made by ssh-keygen, which has said size and fingerprint of each; what lives in a token was put together by hand. */
const KEYS = [
  {
    type: 'rsa',
    bits: 1024,
    fingerprint: 'VPtTAIzVtkp8lW0gDgd2YLL0c4na0RC5aGGnoj96VN8',
    key: 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQDdjcVEFdoSF3GpSgnqqWbJRASUpOM+cxrEm1z96yZ9A22WN+V8D/CYd/mHgYu+oKHY1/PoZHmDxua4+mLqwPtJ46CChEuD+nOEIVJkEwTKEql4W+mXBdgru1Lg3D1DR0JO5cl3CKTKIV36w8yQ9DnQyBUCQ07WkAh09AAUSxqhzQ== ca@acme',
  },
  {
    type: 'dsa',
    bits: 1024,
    fingerprint: '9JdicsFVyFEid4BS4q3LBv+SIV//n8pionYvtGuc6K0',
    key: 'ssh-dss AAAAB3NzaC1kc3MAAACBAPI7keo8k71EPywhCwRhgOQHpxeo2c0QWwGLlem5JU4CwYc6df2DzwO/jGHlI2PxN8ZBWNBqk/6gy/YPbGnqH0sdcTqnzm1r1QQDkAbvTTqeQUsR5KV9IiBgSmC+vtkTHVcg0ZhT0piwU5l9GTp2qmN+wMpFngv7K/TovFF39PM1AAAAFQDNzAzyAuaseudm6wgeuNXMC3NY7wAAAIAFvsh8KtohjTUMSwXYMZGNFuSflPJAx8doKWNxiE7oW1wUHUZ1y6dUi24mDanIIt4c+iqAjOD9RS6vGuOl++Bsy4io+dV3+vz3ycFxLwTqeurd5oq1oNAg5PiSFczhwk7Tbe5bgGVw8KUKh4NLsGawBE0D0clA/3zjCTRyY5Ha2QAAAIEApoDVvNTJF59GExbrQBVW4vqY0IOuRz8Mc7hPF2uQ6c9bBH97Gqe/FnNsVNyF4lLUJ2tGwBwGWUA61jDMV8HjKRBuUPcIZSEr4FrbpujCL39QFNppickJMS3pYRHCgtz6p/1LdoWzSvXDt2FV0+R1+gv/1uxE8MNd0u7mzL4DkwU= ca@acme',
  },
  {
    type: 'ecdsa',
    bits: 256,
    fingerprint: '15SBoI+mMtL7b1Miwf3EjieblOPnUBQYnjsjuJsM9Po',
    key: 'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBHL5PQgUF+kI2qnMeA46+fi5HlodpbKduaVf2ueOn+bRo5oVQ2XKPDlxuqqH3HajIXv8iKqvl73h/ZnSaWVpQo8= ca@acme',
  },
  {
    type: 'ecdsa',
    bits: 384,
    fingerprint: 'UOpUnfN+uiSeoYdvlq6vhrBdbZGe2iNf8t1wHQPHfKg',
    key: 'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBAqba5irHY7iyxy2bEtyMiRYdUG5TE0YEw6bj5cc7pHRsjgCtr7DHp2W2JjA9Hkdf4b24Qkark322nvZBjFTodG+pSbi/aD+j4euCzVYsqxmrcqVw4sIrax5iHFFqXYRSw== ca@acme',
  },
  {
    type: 'ecdsa',
    bits: 521,
    fingerprint: 'cCA2hbkWkbCy+BZJmz6LHts3OZQo2ATU+ocOqxqU6Vs',
    key: 'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAHeg45A1XlFl90Oj/X1NYlCEuksE31KXP4k45kvUpPgH/jwya0J4/HJPTgSaWTPIrEJf9HkGtDVLksvx+yQvJZSpgHF7C+B85WhYGoIN6bVgjDCtdo/l8x+QtXu6C8kcY42uyRBAG7bkFBKV3Bp8mQSDQ5Aojv30g66fOl8EEMBpBc6DQ== ca@acme',
  },
  {
    type: 'ed25519',
    bits: 256,
    fingerprint: '87bWKaHM1tDGyT76TBz4WbVLiWYvlPnaOJSM/DGLlHQ',
    key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAv0bSJ6IXWW15x492QkaZ/QznR8a7XL+/oWLMaB2cVG ca@acme',
  },
  {
    type: 'ecdsa_sk',
    bits: 256,
    fingerprint: 'n5fqTzqt2OjLjHXvRCR585IvVP0J+9Rr/yVMzQPjpYg',
    key: 'sk-ecdsa-sha2-nistp256@openssh.com AAAAInNrLWVjZHNhLXNoYTItbmlzdHAyNTZAb3BlbnNzaC5jb20AAAAIbmlzdHAyNTYAAABBBPY2pbWX3mmn10+JkJH+MqC+UMXhSCApXm8HFJGPCsOo6f9Ns670CiYVqTl8KfdNu9JKcOuhl5AGPcyo9gADZe4AAAAEc3NoOg== ca@acme',
  },
  {
    type: 'ed25519_sk',
    bits: 256,
    fingerprint: 'D85DgP5aLbmPLZXVDVbYqG3SOTOvQTVJxwjyPxHL7sk',
    key: 'sk-ssh-ed25519@openssh.com AAAAGnNrLXNzaC1lZDI1NTE5QG9wZW5zc2guY29tAAAAIJOjQdJcidFBTbSC4qUk7pJ0U7tlCPrB3LV5OU7JzkuFAAAABHNzaDo= ca@acme',
  },
];

const named = (algorithm: string) => KEYS.find(({ key }) => key.startsWith(`${algorithm} `))!.key;

/** The key with other bytes behind its algorithm's name. */
function rewritten(key: string, change: (bytes: Buffer) => Buffer): string {
  const [algorithm, base64] = key.split(' ');
  return `${algorithm} ${change(Buffer.from(base64!, 'base64')).toString('base64')}`;
}

test('parses a key of each algorithm, with the size and fingerprint of ssh-keygen', () => {
  for (const { key, type, bits, fingerprint } of KEYS) {
    assert.deepEqual(parseSshKey(key), { type, bits, fingerprint, hasOptions: false }, type);
  }
});

test('comment, spaces and line end are not part of a key', () => {
  const { key, fingerprint } = KEYS[5]!;
  const [algorithm, base64] = key.split(' ');
  for (const other of [`${algorithm} ${base64}`, `${key} and more\r\n`, `${algorithm}\t${base64}  x`]) {
    assert.equal(parseSshKey(other)?.fingerprint, fingerprint, other);
  }
});

test('reports options before a key', () => {
  for (const options of ['cert-authority', 'cert-authority,principals="a b"', 'no-pty', '']) {
    assert.equal(parseSshKey(`${options} ${KEYS[5]!.key}`)?.hasOptions, true, options);
  }
});

test('rejects bytes that do not decode completely or exceed the key', () => {
  for (const { key, type } of KEYS) {
    const bytes = Buffer.from(key.split(' ')[1]!, 'base64');
    for (let length = 0; length < bytes.length; length += 1) {
      assert.equal(parseSshKey(rewritten(key, (all) => all.subarray(0, length))), null, `${length} bytes of ${type}`);
    }
    for (const more of ['\0', '\0\0\0\0', '\0\0\0\u0001x']) {
      assert.equal(parseSshKey(rewritten(key, (all) => Buffer.concat([all, Buffer.from(more)]))), null, type);
    }
  }
});

test('rejects an unknown algorithm, and one that differs from the text', () => {
  const [, rsa] = named('ssh-rsa').split(' ');
  for (const text of [
    `ssh-dss ${rsa}`,
    `ssh-rsa-cert-v01@openssh.com ${rsa}`,
    `constructor ${rsa}`,
    `ssh-rsa`,
    `ssh-rsa  `,
    `ssh-rsa ${rsa!.replace(/.$/, '')}`,
    `ssh-rsa !${rsa}`,
    `${rsa}`,
    '',
    `ssh-rsa\n${rsa}`,
    `ssh-rsa ${rsa}\nssh-rsa ${rsa}`,
  ]) {
    assert.equal(parseSshKey(text), null, text);
  }
});

test('rejects points that are compressed or not on the curve', () => {
  for (const algorithm of ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp521', 'sk-ecdsa-sha2-nistp256@openssh.com']) {
    // Behind the lengths and the names of algorithm and curve.
    const point = 4 + algorithm.length + 4 + 'nistp256'.length + 4;
    for (const at of [point, point + 20]) {
      const flipped = rewritten(named(algorithm), (bytes) => {
        bytes[at] = bytes[at]! ^ 1;
        return bytes;
      });
      assert.equal(parseSshKey(flipped), null, `${algorithm} ${at}`);
    }
  }
});

test('rejects negative numbers and numbers with unnecessary zeros', () => {
  const field = (content: Buffer | string) => {
    const bytes = Buffer.from(content as string);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const rsa = (modulus: number[]) =>
    `ssh-rsa ${Buffer.concat([field('ssh-rsa'), field(Buffer.from([3])), field(Buffer.from(modulus))]).toString('base64')}`;
  assert.equal(parseSshKey(rsa([0, 0x81, 1]))?.bits, 16);
  assert.equal(parseSshKey(rsa([0x41, 1]))?.bits, 15);
  for (const wrong of [[0x81, 1], [0, 0x41, 1], [0, 0, 0x81], [0], []]) assert.equal(parseSshKey(rsa(wrong)), null);
});
