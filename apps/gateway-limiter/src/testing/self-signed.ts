import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A certificate for `names`, signed by its own key, valid for a day; PEM. Small enough DER to be put together by hand. */
export function createSelfSigned(names: readonly string[]): { cert: string; key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302')); // ecdsa-with-SHA256
  const name = sequence(set(sequence(oid('550403'), utf8(names[0] ?? 'spec'))));
  const alternatives = sequence(...names.map((each) => tagged(0x82, Buffer.from(each))));
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(time(Date.now() - 3_600_000), time(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(oid('551d11'), tagged(0x04, alternatives)))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(
    toBeSigned,
    algorithm,
    tagged(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80
      ? [tag, length]
      : length < 0x100
        ? [tag, 0x81, length]
        : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

const sequence = (...parts: Buffer[]) => tagged(0x30, ...parts);
const set = (...parts: Buffer[]) => tagged(0x31, ...parts);
const integer = (value: Buffer) => tagged(0x02, value);
const oid = (hex: string) => tagged(0x06, Buffer.from(hex, 'hex'));
const utf8 = (text: string) => tagged(0x0c, Buffer.from(text));
const time = (ms: number) =>
  tagged(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
