import { appEnvironment, readSettings, SettingRefused } from './settings.ts';

describe('the settings of npm start', () => {
  it('are the addresses of the contract when nothing is set', () => {
    expect(readSettings({}, '/workspace')).toEqual({
      publicUrl: 'http://localhost:8080',
      dataDir: '/workspace/.data',
      ports: {
        'gateway-limiter': { port: 8080, managementPort: 9080 },
        'auth-server': { port: 8081, managementPort: 9081 },
        shortener: { port: 8082, managementPort: 9082 },
      },
    });
  });

  it('let the port of PUBLIC_URL decide where the gateway listens', () => {
    expect(
      readSettings({ PUBLIC_URL: 'http://localhost:9999' }, '/w').ports['gateway-limiter'].port,
    ).toBe(9999);
  });

  it('leave the port alone when another program terminates TLS in front', () => {
    const settings = readSettings({ PUBLIC_URL: 'https://go.example' }, '/w');
    expect([settings.publicUrl, settings.ports['gateway-limiter'].port]).toEqual([
      'https://go.example',
      8080,
    ]);
  });

  it('derive the address from the port when only that is set', () => {
    expect(readSettings({ GATEWAY_PORT: '8888' }, '/w').publicUrl).toBe('http://localhost:8888');
  });

  it.each([
    ['GATEWAY_PORT', 'eighty'],
    ['AUTH_PORT', '0'],
    ['SHORTENER_MANAGEMENT_PORT', '65536'],
    ['PUBLIC_URL', 'localhost:8080'],
  ])('name the variable when %s is "%s"', (variable, text) => {
    expect(() => readSettings({ [variable]: text }, '/w')).toThrow(SettingRefused);
    expect(() => readSettings({ [variable]: text }, '/w')).toThrow(variable);
  });
});

describe('the environment of an app', () => {
  const settings = readSettings({ AUTH_PORT: '7001' }, '/w');

  it('holds demo data and the addresses of its neighbours, past the gateway', () => {
    expect(appEnvironment('shortener', settings, {})).toMatchObject({
      DEMO: 'true',
      PORT: '8082',
      AUTH_INTERNAL_URL: 'http://127.0.0.1:7001/auth',
      DATA_DIR: '/w/.data',
    });
  });

  it('keeps what the caller set, ports excepted', () => {
    expect(appEnvironment('auth-server', settings, { DEMO: 'false', PORT: '1' })).toMatchObject({
      DEMO: 'false',
      PORT: '7001',
    });
  });
});
