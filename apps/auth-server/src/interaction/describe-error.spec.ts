import { describeError } from './describe-error.ts';

describe('an error at a browser endpoint', () => {
  it.each([
    ['invalid_redirect_uri', 400, 'authorization', /not set up correctly/],
    ['invalid_client', 400, 'authorization', /do not know this application/],
    ['invalid_request', 400, 'authorization', /not set up correctly/],
    ['invalid_request', 400, 'resume', /expired/],
    ['invalid_request', 400, 'end_session_confirm', /expired/],
    ['invalid_request_uri', 400, 'authorization', /expired/],
    ['access_denied', 400, 'authorization', /denied/],
    ['server_error', 500, 'authorization', /trouble/],
    ['constructor', 400, 'authorization', /not set up correctly/],
  ])('%s (%d at %s) says what it means', (code, status, route, title) =>
    expect(describeError(code, status, route).title).toMatch(title),
  );
});
