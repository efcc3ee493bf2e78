// An authorization server for tests: npm's certified oidc-provider, on a loopback port of its own. Version 8, because
// version 9 needs Node 20 and Debian 12 has 18.
//
// It prints its issuer on one line and serves until its standard input ends. Beside the provider's routes it has a few
// under /test: what an administrator of a real server would do by hand, and a browser that signs somebody in.

import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

// What POST /test/change changes: how the tokens for a resource are made.
const made = { alg: 'ES256', ttl: 600, scope: 'media' };
const redirect = 'http://127.0.0.1/back';
const random = () => randomBytes(32).toString('base64url');
let [issuer, provider, away, generation] = ['', null, false, 0];

const server = createServer((request, response) => {
  const url = new URL(request.url, issuer);
  const route = routes[`${request.method} ${url.pathname}`];
  const answered = url.pathname.startsWith('/interaction/') ? consent(request, response) : route?.(url.searchParams);
  if (answered) {
    Promise.resolve(answered).then(
      (body) => body && response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      (error) => response.writeHead(500).end(String(error.stack)),
    );
  } else if (away) {
    response.writeHead(503).end();
  } else {
    provider.callback()(request, response);
  }
});

const routes = {
  'POST /test/change': (query) => Object.assign(made, Object.fromEntries(query), { ttl: Number(query.get('ttl') ?? made.ttl) }),
  'POST /test/rotate': () => ({ generation: start() }),
  'POST /test/away': (query) => ({ away: (away = query.get('is') === 'true') }),
  'POST /test/sign-in': (query) => signIn(query),
};

// A provider with fresh keys under the same name; those before it are published no more.
function start() {
  generation += 1;
  const key = (type, options, alg) => ({
    ...generateKeyPairSync(type, options).privateKey.export({ format: 'jwk' }),
    use: 'sig', alg, kid: `${alg}-${generation}`,
  });
  provider = new Provider(issuer, {
    jwks: { keys: [key('ec', { namedCurve: 'P-256' }, 'ES256'), key('rsa', { modulusLength: 2048 }, 'RS256')] },
    clients: [
      {
        client_id: 'machine', client_secret: 'machine-secret', grant_types: ['client_credentials'],
        redirect_uris: [], response_types: [],
      },
      {
        client_id: 'app', token_endpoint_auth_method: 'none', application_type: 'native', redirect_uris: [redirect],
        grant_types: ['authorization_code'], response_types: ['code'],
      },
    ],
    cookies: { keys: [random()] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, resource) => ({
          audience: resource, scope: made.scope, accessTokenFormat: 'jwt', accessTokenTTL: made.ttl,
          jwt: { sign: { alg: made.alg } },
        }),
      },
    },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    interactions: { url: (_, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
  });
  return generation;
}

// The page on which a person would say who they are and what the app may do: says yes to everything, as the login_hint.
async function consent(request, response) {
  const { params, prompt, session } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: params.login_hint } });
  }
  const grant = new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  grant.addOIDCScope('openid');
  grant.addResourceScope(params.resource, params.scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

// Authorization code with PKCE and a resource (RFC 6749, 7636, 8707), as an app and a browser do it together.
async function signIn(query) {
  const verifier = random();
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = new URLSearchParams({
    client_id: 'app', response_type: 'code', redirect_uri: redirect, scope: `openid ${made.scope}`, state: random(),
    code_challenge: challenge, code_challenge_method: 'S256', resource: query.get('resource'), login_hint: query.get('sub'),
  });
  const cookies = new Map();
  let next = `${issuer}/auth?${asked}`;
  while (!next.startsWith(redirect)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const page = await fetch(next, { redirect: 'manual', headers: { cookie } });
    for (const set of page.headers.getSetCookie()) {
      const [name, value] = set.split(';')[0].split('=');
      cookies.set(name, value);
    }
    const to = page.headers.get('location');
    if (!to) throw new Error(`${next} answered ${page.status}: ${await page.text()}`);
    next = new URL(to, next).href;
  }
  const back = new URL(next).searchParams;
  if (back.get('state') !== asked.get('state')) throw new Error(`came back with ${back}`);
  const body = new URLSearchParams({
    client_id: 'app', grant_type: 'authorization_code', redirect_uri: redirect, code: back.get('code'),
    code_verifier: verifier, resource: query.get('resource'),
  });
  return (await fetch(`${issuer}/token`, { method: 'POST', body })).json();
}

server.listen(0, '127.0.0.1', () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  start();
  console.log(issuer);
});
process.stdin.resume().on('end', () => process.exit());
