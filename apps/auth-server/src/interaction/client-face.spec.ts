import { toClientFace } from './client-face.ts';

describe('what a person sees of an application', () => {
  it('is its name, its pages and where the browser goes on to', () => {
    const client = {
      clientId: 'shop',
      clientName: 'The Shop',
      clientUri: 'https://shop.example/about',
      policyUri: 'http://shop.example/privacy',
    };
    expect(toClientFace(client, 'https://shop.example:8443/callback?x=1')).toEqual({
      name: 'The Shop',
      homepage: 'https://shop.example/about',
      policy: 'http://shop.example/privacy',
      terms: undefined,
      destination: 'shop.example:8443',
    });
  });

  it('is its id when it has no name', () => {
    expect(toClientFace({ clientId: 'shop' }, undefined).name).toBe('shop');
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', 'nonsense', ''])(
    'has no link to %j',
    (uri) => {
      const face = toClientFace(
        { clientId: 'a', clientUri: uri, policyUri: uri, tosUri: uri },
        uri,
      );
      expect([face.homepage, face.policy, face.terms]).toEqual([undefined, undefined, undefined]);
    },
  );

  it('is on this device when the address is an application’s own', () => {
    expect(toClientFace({ clientId: 'a' }, 'com.example.app:/callback').destination).toBe(
      'an application on this device',
    );
  });
});
