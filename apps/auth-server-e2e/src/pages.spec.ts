import { describeWith } from '@gatepost/test-services';
import { jest } from '@jest/globals';
import { DEMO, PagesUnderTest } from './pages-under-test.ts';

// A browser on a busy machine takes its time.
jest.setTimeout(90_000);

describeWith(['postgres', 'chromium'], 'the pages, in Chromium', () => {
  let pages: PagesUnderTest;

  beforeAll(async () => {
    pages = await PagesUnderTest.start();
  });
  afterEach(() => pages?.closePages());
  afterAll(() => pages?.stop());

  describe.each([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('%s', (_how, javaScriptEnabled) => {
    it('lead from the application through sign-in and consent back to it, and on to another origin', async () => {
      const { page, complaints } = await pages.newVisit({ javaScriptEnabled });
      await pages.register(page);
      await page.goto(pages.shop.signInUrl());
      await page.getByRole('heading', { name: 'Allow The Shop?' }).waitFor();
      await page.getByRole('button', { name: 'Allow' }).click();
      // A policy with form-action 'self' would leave the browser on the consent page, without a word.
      await page.waitForURL(`${pages.shop.landing}*`);
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/.{20}/);
      expect(complaints).toEqual([]);
    });

    it('lead from sign-in straight back when everything was allowed before', async () => {
      const { page, complaints } = await pages.newVisit({ javaScriptEnabled });
      const person = await pages.register(page);
      await page.goto(pages.shop.signInUrl());
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(`${pages.shop.landing}*`);
      await page.context().clearCookies();
      await page.goto(pages.shop.signInUrl());
      await pages.signIn(page, person);
      await page.waitForURL(`${pages.shop.landing}*`);
      expect(complaints).toEqual([]);
    });

    it('lead back with an error when the person denies', async () => {
      const { page } = await pages.newVisit({ javaScriptEnabled });
      await pages.register(page);
      await page.goto(pages.shop.signInUrl());
      await page.getByRole('button', { name: 'Deny' }).click();
      await page.waitForURL(`${pages.shop.landing}*`);
      expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    });

    it('connect a device by its code', async () => {
      const { page, complaints } = await pages.newVisit({ javaScriptEnabled });
      await pages.register(page);
      const code = await pages.deviceCode();
      await page.goto(`${pages.auth.issuer}/device`);
      await page.getByLabel('Code').fill(code.toLowerCase());
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText(code).waitFor();
      await page.getByRole('button', { name: 'The code matches' }).click();
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByRole('heading', { name: 'Your device is connected' }).waitFor();
      expect(complaints).toEqual([]);
    });

    it('take the code from a link', async () => {
      const { page, complaints } = await pages.newVisit({ javaScriptEnabled });
      await pages.register(page);
      const code = await pages.deviceCode();
      await page.goto(`${pages.auth.issuer}/device?user_code=${code}`);
      expect(await page.getByLabel('Code').inputValue()).toBe(code);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'The code matches' }).waitFor();
      await page.getByText(code).waitFor();
      expect(complaints).toEqual([]);
    });

    it('hand over to another account', async () => {
      const { page, complaints } = await pages.newVisit({ javaScriptEnabled });
      await pages.register(page);
      await page.goto(pages.shop.signInUrl({ prompt: 'consent' }));
      await page.getByRole('link', { name: 'Use another account' }).click();
      await pages.signIn(page);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText(DEMO.email).waitFor();
      expect(complaints).toEqual([]);
    });

    it('sign out and lead back to the application', async () => {
      const { page } = await pages.newVisit({ javaScriptEnabled });
      await pages.register(page);
      await page.goto(pages.shop.signOutUrl());
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Signed out of the shop' }).waitFor();
      await page.goto(`${pages.auth.issuer}/account`);
      expect(page.url()).toBe(`${pages.auth.issuer}/account/sign-in`);
    });
  });

  describe('keep the focus where it belongs:', () => {
    it('the first field that is to be filled in', async () => {
      const { page } = await pages.newVisit();
      const focused = () => page.evaluate(() => document.activeElement?.id);
      await page.goto(pages.shop.signInUrl());
      expect(await focused()).toBe('email');
      await page.goto(pages.shop.signInUrl({ login_hint: DEMO.email }));
      expect(await focused()).toBe('password');
      await page.goto(`${pages.auth.issuer}/device`);
      expect(await focused()).toBe('user_code');
    });

    it('the faults, whose links lead to their fields', async () => {
      const { page } = await pages.newVisit();
      await page.goto(pages.shop.signInUrl());
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForLoadState();
      expect(await page.title()).toMatch(/^Error: /);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('alert');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.keyboard.type('typed@example.com');
      expect(await page.getByLabel('Email address').inputValue()).toBe('typed@example.com');
    });

    it('everything is reached by the keyboard alone', async () => {
      const { page } = await pages.newVisit();
      const person = await pages.register(page);
      await page.context().clearCookies();
      await page.goto(pages.shop.signInUrl());
      await page.keyboard.type(person.email);
      await page.keyboard.press('Tab');
      await page.keyboard.type(person.password);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Allow The Shop?' }).waitFor();
      for (const name of ['Use another account', 'Allow']) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(name);
      }
      await page.keyboard.press('Enter');
      await page.waitForURL(`${pages.shop.landing}*`);
    });
  });

  it('cannot be framed', async () => {
    const { page } = await pages.newVisit();
    await page.goto(pages.shop.landing);
    const framed = page.waitForEvent('framenavigated', { timeout: 3_000 }).catch(() => undefined);
    await page.evaluate((address) => {
      const frame = document.createElement('iframe');
      frame.src = address;
      document.body.append(frame);
    }, `${pages.auth.issuer}/account/sign-in`);
    await framed;
    const [, frame] = page.frames();
    expect(await frame?.content()).not.toContain('password');
  });

  it('show the wait after too many wrong passwords', async () => {
    const { page } = await pages.newVisit();
    await page.goto(pages.shop.signInUrl());
    const email = `${crypto.randomUUID()}@example.com`;
    for (let failure = 0; failure < 6; failure++)
      await pages.signIn(page, { email, password: 'wrong' });
    expect(await page.getByRole('alert').textContent()).toMatch(
      /Too many attempts, try again in \d+ s/,
    );
  });
});
