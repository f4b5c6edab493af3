import { CompactSign, compactVerify, exportJWK, generateKeyPair } from 'jose';
import { LocalSigningKey } from './local-signing-key.ts';

describe('a local signing key', () => {
  it.each(['ES256', 'RS256'] as const)('signs %s as others verify it', async (alg) => {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const privateJwk = await exportJWK(privateKey);
    const key = new LocalSigningKey({ kid: 'a', alg, privateJwk });
    const head = Buffer.from(JSON.stringify({ alg })).toString('base64url');
    const input = `${head}.${Buffer.from('payload').toString('base64url')}`;
    const signature = Buffer.from(await key.sign(Buffer.from(input))).toString('base64url');
    const { payload } = await compactVerify(`${input}.${signature}`, publicKey);
    expect(Buffer.from(payload).toString()).toBe('payload');
    // And as the usual library would have signed it.
    const usual = await new CompactSign(Buffer.from('payload'))
      .setProtectedHeader({ alg })
      .sign(privateKey);
    expect(usual.split('.')[2]?.length).toBe(signature.length);
  });

  it('shows its public part alone', async () => {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const key = new LocalSigningKey({
      kid: 'a',
      alg: 'ES256',
      privateJwk: await exportJWK(privateKey),
    });
    expect(key.keyObject().type).toBe('public');
    expect(JSON.stringify(key)).not.toContain('"d"');
  });
});
