import type { PlatformSettings } from './settings.ts';

/** What a person sees when everything is up. */
export function summarise(
  settings: PlatformSettings,
  facts: { seconds: number; demo: boolean; database: string },
): string {
  const { publicUrl, ports, dataDir } = settings;
  const at = publicUrl === 'http://localhost:8080' ? '' : `--base-url ${publicUrl} `;
  const lines = [
    '',
    `Gatepost is ready after ${facts.seconds.toFixed(1)} s.`,
    '',
    `  Gateway, the public door   ${publicUrl}`,
    `  Issuer                     ${publicUrl}/auth`,
    `  Your account page          ${publicUrl}/auth/account`,
    `  API description            ${publicUrl}/openapi.json`,
    `  Direct (this machine only) auth-server :${ports['auth-server'].port}, shortener :${ports.shortener.port}`,
    `  Health and metrics         :${ports['gateway-limiter'].managementPort}, :${ports['auth-server'].managementPort}, :${ports.shortener.managementPort} (/readyz, /metrics)`,
    `  Database                   ${facts.database}`,
    `  State and logs             ${dataDir}`,
  ];
  if (facts.demo) {
    lines.push(
      '',
      '  Demo user    demo@example.com / correct-horse-battery',
      '  Demo clients demo-web, demo-spa, demo-cli, demo-m2m (secret demo-m2m-secret)',
      '  API keys     demo-key-free, demo-key-paid',
      '',
      'Three things to try, in another terminal:',
      '',
      `  npx gatepost ${at}login`,
      `  npx gatepost ${at}shorten https://www.rfc-editor.org/rfc/rfc9700`,
      `  npx gatepost ${at}stats <code>      # after following the short link once or twice`,
    );
  }
  lines.push('', 'Ctrl-C stops everything.', '');
  return lines.join('\n');
}
