/** What an error at a browser endpoint means to the person who ends up there. */
export interface DescribedError {
  readonly title: string;
  readonly text: string;
}

const FAULTY_LINK: DescribedError = {
  title: 'This application is not set up correctly',
  text: 'It sent you here with a request that we cannot accept, and we could not send you back. There is nothing you can do about it but tell whoever runs the application.',
};

const BY_CODE: Readonly<Record<string, DescribedError>> = {
  invalid_redirect_uri: {
    title: 'This application is not set up correctly',
    text: 'It asked us to send you on to an address that is not registered for it. To keep your account safe we did not. Tell whoever runs the application.',
  },
  invalid_client: {
    title: 'We do not know this application',
    text: 'The application that sent you here is not registered, or not any more. Tell whoever runs it.',
  },
  access_denied: {
    title: 'The request was denied',
    text: 'Nothing was allowed, and nothing has changed. You can close this page.',
  },
  invalid_request_uri: {
    title: 'This sign-in has expired',
    text: 'The link was used before or is too old. Go back to the application and start again.',
  },
};

const EXPIRED: DescribedError = {
  title: 'This page has expired',
  text: 'It was finished, took too long, or was begun in another browser. Go back to where you came from and start again.',
};

/** Where a browser comes back to in the middle of something: what is missing there was there before. */
const MIDWAY = new Set(['resume', 'device_resume', 'code_verification', 'end_session_confirm']);

/** The error in words. Texts from the request are not among them: a link must not put sentences into our mouth. */
export function describeError(code: string, status: number, route: string): DescribedError {
  if (status >= 500)
    return {
      title: 'We are having trouble',
      text: 'Something failed on our side. It has been noted. Try again in a moment.',
    };
  if (code === 'invalid_request' && MIDWAY.has(route)) return EXPIRED;
  return (Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined) ?? FAULTY_LINK;
}
