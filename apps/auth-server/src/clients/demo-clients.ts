import { hashSecret } from './client.ts';

const common = {
  id_token_signed_response_alg: 'ES256',
  response_types: ['code'],
};

/** The applications of the quick start, as the documentation promises them. Only ever created under DEMO=true. */
export const demoClients = [
  {
    clientId: 'demo-web',
    apiScopes: ['links:read', 'links:write'],
    secretHashes: [hashSecret('demo-web-secret')],
    metadata: {
      ...common,
      client_name: 'Demo Web Application',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://127.0.0.1:3000/callback', 'http://localhost:3000/callback'],
      post_logout_redirect_uris: ['http://127.0.0.1:3000/', 'http://localhost:3000/'],
      token_endpoint_auth_method: 'client_secret_basic',
      application_type: 'web',
    },
  },
  {
    clientId: 'demo-spa',
    apiScopes: ['links:read', 'links:write'],
    secretHashes: [],
    metadata: {
      ...common,
      client_name: 'Demo Single-Page Application',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['http://localhost:5173/callback'],
      post_logout_redirect_uris: ['http://localhost:5173/'],
      token_endpoint_auth_method: 'none',
      application_type: 'web',
    },
  },
  {
    clientId: 'demo-cli',
    apiScopes: ['links:read', 'links:write'],
    secretHashes: [],
    metadata: {
      ...common,
      client_name: 'Demo Command Line',
      grant_types: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
      redirect_uris: [
        'http://127.0.0.1:8400/callback',
        'http://127.0.0.1:8401/callback',
        'http://127.0.0.1:8402/callback',
      ],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
  },
  {
    clientId: 'demo-m2m',
    apiScopes: ['links:read', 'links:write'],
    secretHashes: [hashSecret('demo-m2m-secret')],
    metadata: {
      ...common,
      client_name: 'Demo Service',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_basic',
    },
  },
] as const;
